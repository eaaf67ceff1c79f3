import type { Selectable } from 'kysely';
import { instantText } from '../../domain/civil-date.ts';
import { inTransaction } from './in-transaction.ts';
import type { StateDb } from './record-store.ts';
import type { StateSchema } from './state-schema.ts';

/** One call of a tool. The arguments are not stored, only their SHA-256 digest. Times are in UTC. */
export type AgentCall = Readonly<Selectable<StateSchema['agentCall']>>;

export type NewCall = Pick<AgentCall, 'agent' | 'client' | 'clientVersion' | 'tool' | 'argumentsSha256'>;

export interface CallLimits {
  readonly callsAnHour: number;
  readonly keepCallsDays: number;
}

export type BegunCall =
  | { readonly kind: 'begun'; readonly id: bigint }
  | { readonly kind: 'too_many'; readonly waitSeconds: number };

const HOUR_MS = 3_600_000;

/**
 * Counts and inserts in one transaction, so that two processes together stay within the limit. A call beyond it has no row:
 * an agent in a loop must not fill the disk.
 */
export function beginCall(
  db: StateDb,
  call: NewCall,
  { callsAnHour, keepCallsDays }: CallLimits,
  nowMs: number,
): Promise<BegunCall> {
  return inTransaction(db, async (trx) => {
    await trx
      .deleteFrom('agentCall')
      .where('beganAt', '<', instantText(nowMs - keepCallsDays * 24 * HOUR_MS))
      .execute();
    const recent = trx
      .selectFrom('agentCall')
      .select('beganAt')
      .where('agent', '=', call.agent)
      .where('beganAt', '>', instantText(nowMs - HOUR_MS));
    const last = await recent
      .orderBy('beganAt', 'desc')
      .limit(1)
      .offset(callsAnHour - 1)
      .executeTakeFirst();
    if (last) {
      const waitMs = Date.parse(last.beganAt) + HOUR_MS - nowMs;
      return { kind: 'too_many', waitSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
    }
    const row = { ...call, state: 'begun' as const, beganAt: instantText(nowMs) };
    const { id } = await trx.insertInto('agentCall').values(row).returning('id').executeTakeFirstOrThrow();
    return { kind: 'begun', id };
  });
}

export type CallEnd = Pick<AgentCall, 'state' | 'code' | 'answerBytes'>;

export async function endCall(db: StateDb, id: bigint, end: CallEnd, nowMs: number): Promise<void> {
  const ended = { ...end, endedAt: instantText(nowMs) };
  await db.updateTable('agentCall').set(ended).where('id', '=', id).execute();
}

/** Newest first. */
export async function agentCalls(
  db: StateDb,
  { agent, limit }: { readonly agent: string | undefined; readonly limit: number },
): Promise<AgentCall[]> {
  let calls = db.selectFrom('agentCall').selectAll().orderBy('id', 'desc').limit(limit);
  if (agent !== undefined) calls = calls.where('agent', '=', agent);
  return calls.execute();
}
