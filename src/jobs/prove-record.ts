import { createHash } from 'node:crypto';
import type { App } from '../app.ts';
import { proveNewEvents, proveWhole, type RecordProof } from '../budgets/verify-audit.ts';
import { instantText } from '../domain/civil-date.ts';
import { enqueueAlert } from '../store/alert-table.ts';
import { freezeState, recordFreeze } from '../store/freeze-record.ts';
import { headText } from '../store/record-head.ts';
import { lastProof, noteProof } from '../store/run-table.ts';
import { VERIFY_RECORD } from '../store/unusable-database.ts';

/** What a run found out about the record before it did anything. */
export interface ProofBefore extends RecordProof {
  readonly proven: 'new' | 'whole';
}

/**
 * Proves what came to the record since the last proof, and all of it once a day: what is remembered of a proof may be altered
 * as well. A record that is not sound freezes budgets and alerts people. `acts`: the run is no dry run.
 */
export async function proveBefore(app: App, runId: bigint, acts: boolean): Promise<ProofBefore> {
  const { state, clock } = app;
  const { head, wholeAt } = await lastProof(state.db, runId);
  const now = instantText(clock.now());
  const isOfToday = wholeAt !== undefined && wholeAt.slice(0, 10) === now.slice(0, 10) && wholeAt <= now;
  const proof: ProofBefore =
    head === undefined || !isOfToday
      ? { ...(await proveWhole(state)), proven: 'whole' }
      : { ...(await proveNewEvents(state, head)), proven: 'new' };
  if (acts) await stopWhereUnsound(app, proof);
  return proof;
}

/** Proves what the run itself wrote, and remembers the head where all is sound. Answers with the head and what fails. */
export async function proveAfter(
  app: App,
  runId: bigint,
  before: ProofBefore,
  acts: boolean,
): Promise<{ readonly head: string; readonly failures: readonly string[] }> {
  const { state } = app;
  const after = before.problems.length > 0 ? before : await proveNewEvents(state, before.head);
  if (after.problems.length === 0) await noteProof(state.db, runId, { head: after.head, proven: before.proven });
  else if (acts && after !== before) await stopWhereUnsound(app, after);
  const head = headText(after.head);
  app.log.info(`The head of the record is ${head}.`);
  return { head, failures: failuresOf(after) };
}

function failuresOf({ problems: [first] }: RecordProof): string[] {
  return first === undefined ? [] : [`Somebody may have altered the record: ${first} ${VERIFY_RECORD}`];
}

async function stopWhereUnsound({ state, clock }: App, { problems: [first] }: RecordProof): Promise<void> {
  if (first === undefined) return;
  const nowMs = clock.now();
  const dedupeKey = `record:${createHash('sha256').update(first).digest('hex').slice(0, 16)}`;
  const text = `Budgets are frozen: somebody may have altered the record. ${first} Run pacekeeper audit verify.`;
  await state.db.transaction().execute(async (trx) => {
    const why = `somebody may have altered the record: ${first}`;
    if ((await freezeState(trx)) === undefined) await recordFreeze(trx, { by: 'pacekeeper', why }, nowMs);
    await enqueueAlert(trx, { dedupeKey, severity: 'critical', customerId: undefined, text }, nowMs);
  });
}
