import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/ports.ts';
import { enqueueAlert } from '../../storage/records/alerts/alert-table.ts';
import { freezeState, recordFreeze } from '../../storage/records/budgets/freeze-record.ts';
import type { RecordStore } from '../../storage/records/record-store.ts';
import { lastProof } from '../../storage/records/runs/run-table.ts';
import { proveNewEvents, proveWhole, type RecordProof } from './verify-audit.ts';

interface Proving {
  readonly state: RecordStore;
  readonly clock: Clock;
}

/** Freezes budgets and enqueues one alert for each finding, whoever finds it. Returns the finding. */
export async function stopWhereUnsound(
  { state, clock }: Proving,
  { problems: [first] }: RecordProof,
): Promise<string | undefined> {
  if (first === undefined) return undefined;
  const nowMs = clock.now();
  const dedupeKey = `record:${createHash('sha256').update(first).digest('hex').slice(0, 16)}`;
  const text = `Budgets are frozen: somebody may have altered the record. ${first} Run pacekeeper audit verify.`;
  await state.db.transaction().execute(async (trx) => {
    const why = `somebody may have altered the record: ${first}`;
    if ((await freezeState(trx)) === undefined) await recordFreeze(trx, { by: 'pacekeeper', why }, nowMs);
    await enqueueAlert(trx, { dedupeKey, severity: 'critical', customerId: undefined, text }, nowMs);
  });
  return text;
}

const DAY_MS = 86_400_000;

/**
 * Proves the record between runs. 100,000 events take seconds, and the events after the last run a few milliseconds. So it
 * proves all events only if no run did so for a day.
 */
export async function proveBetweenRuns(app: Proving): Promise<string | undefined> {
  const { state, clock } = app;
  const { head, wholeAt } = await lastProof(state.db);
  const isRecent = wholeAt !== undefined && Math.abs(clock.now() - Date.parse(wholeAt)) < DAY_MS;
  const proof = head !== undefined && isRecent ? await proveNewEvents(state, head) : await proveWhole(state);
  return stopWhereUnsound(app, proof);
}
