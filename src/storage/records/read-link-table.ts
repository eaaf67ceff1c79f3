import type { Selectable } from 'kysely';
import { type CivilDate, instantText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { StateDb } from './record-store.ts';
import type { StateSchema } from './state-schema.ts';

/** The limits of a link. No customers means all accounts. */
export interface FixedReading {
  readonly columns: readonly string[];
  readonly customers: readonly CustomerId[];
  readonly from?: CivilDate | undefined;
  readonly to?: CivilDate | undefined;
  /** Values by column. */
  readonly where: Readonly<Record<string, string>>;
  /** Tables of the record or of clicks that the question may read. */
  readonly named: readonly string[];
}

/** The key itself is not stored, only its SHA-256 digest. Without a question, `name` is a table. Times are in UTC. */
export interface ReadLink extends Readonly<Omit<Selectable<StateSchema['readLink']>, 'fixed'>> {
  readonly fixed: FixedReading;
}

export type NewLink = Pick<ReadLink, 'name' | 'questionId' | 'fixed' | 'sha256' | 'createdBy' | 'expiresAt'>;

export async function insertLink(db: StateDb, { fixed, ...link }: NewLink, nowMs: number): Promise<bigint> {
  const row = { ...link, fixed: JSON.stringify(fixed), createdAt: instantText(nowMs) };
  const { id } = await db.insertInto('readLink').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function readLinks(db: StateDb): Promise<ReadLink[]> {
  return (await db.selectFrom('readLink').selectAll().orderBy('id').execute()).map(readLink);
}

export async function linkOfDigest(db: StateDb, sha256: string): Promise<ReadLink | undefined> {
  const row = await db.selectFrom('readLink').selectAll().where('sha256', '=', sha256).executeTakeFirst();
  return row && readLink(row);
}

/** False if the link does not exist, or is revoked already. */
export async function revokeLink(db: StateDb, id: bigint, by: string, nowMs: number): Promise<boolean> {
  const update = db.updateTable('readLink').set({ revokedBy: by, revokedAt: instantText(nowMs) });
  const { numUpdatedRows } = await update.where('id', '=', id).where('revokedAt', 'is', null).executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function readLink(row: Selectable<StateSchema['readLink']>): ReadLink {
  return { ...row, fixed: JSON.parse(row.fixed) as FixedReading };
}
