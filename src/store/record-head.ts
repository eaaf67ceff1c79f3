import { GENESIS_HASH } from './audit-chain.ts';
import type { StateDb } from './open-state.ts';

/** The newest event of the record; 0 and 64 zeros before the first. */
export interface RecordHead {
  readonly id: bigint;
  readonly hash: string;
}

/** What the first event follows. */
export const NO_EVENT: RecordHead = { id: 0n, hash: GENESIS_HASH };

/** `12:<64 hexadecimal digits>`: in these very letters wherever the head is shown. */
export function headText({ id, hash }: RecordHead): string {
  return `${id}:${hash}`;
}

const HEAD = /^(0|[1-9]\d{0,17}):([0-9a-f]{64})$/;

/** Undefined for what is no head. */
export function parseHead(text: string): RecordHead | undefined {
  const [, id, hash] = HEAD.exec(text.trim()) ?? [];
  return id === undefined || hash === undefined ? undefined : { id: BigInt(id), hash };
}

export async function recordHead(db: StateDb): Promise<RecordHead> {
  const newest = db.selectFrom('budgetEvent').select(['id', 'hash']).orderBy('id', 'desc').limit(1);
  return (await newest.executeTakeFirst()) ?? NO_EVENT;
}

/** Whether the record holds the event with that hash, and so all that came before it. */
export async function holdsHead(db: StateDb, { id, hash }: RecordHead): Promise<boolean> {
  if (id === 0n) return hash === GENESIS_HASH;
  const found = db.selectFrom('budgetEvent').select('id').where('id', '=', id).where('hash', '=', hash);
  return (await found.executeTakeFirst()) !== undefined;
}
