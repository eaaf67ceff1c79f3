import type { StateDb } from '../record-store.ts';

export const GENESIS_HASH = '0'.repeat(64);

/** The newest event. Its hash covers all earlier events. */
export interface RecordHead {
  readonly id: bigint;
  readonly hash: string;
}

export const NO_EVENT: RecordHead = { id: 0n, hash: GENESIS_HASH };

export function headText({ id, hash }: RecordHead): string {
  return `${id}:${hash}`;
}

const HEAD = /^(0|[1-9]\d{0,17}):([0-9a-f]{64})$/;

export function parseHead(text: string): RecordHead | undefined {
  const [, id, hash] = HEAD.exec(text.trim()) ?? [];
  return id === undefined || hash === undefined ? undefined : { id: BigInt(id), hash };
}

export async function recordHead(db: StateDb): Promise<RecordHead> {
  const newest = db.selectFrom('budgetEvent').select(['id', 'hash']).orderBy('id', 'desc').limit(1);
  return (await newest.executeTakeFirst()) ?? NO_EVENT;
}

/** True if the audit trail contains this event. */
export async function holdsHead(db: StateDb, { id, hash }: RecordHead): Promise<boolean> {
  if (id === 0n) return hash === GENESIS_HASH;
  const found = db.selectFrom('budgetEvent').select('id').where('id', '=', id).where('hash', '=', hash);
  return (await found.executeTakeFirst()) !== undefined;
}
