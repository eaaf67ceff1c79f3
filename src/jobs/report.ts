import { join } from 'node:path';
import { deliverOutbox } from '../alerts/deliver.ts';
import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { mayHaveBeenSent } from '../budgets/apply-intent.ts';
import { instantText } from '../domain/civil-date.ts';
import { ApiError, explainFailure, InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { maskRecipient } from '../http/redact.ts';
import {
  changedBudget,
  decisionFailure,
  messageFailure,
  offerNotes,
  sliceFailure,
} from '../report/describe-results.ts';
import type { DecisionResult, MessageResult, ReportResult } from '../report/report-result.ts';
import { type Intent, openIntents } from '../store/intent-table.ts';
import { countMessages, settleInterruptedMessages } from '../store/outbox-table.ts';
import { endRun, startRun } from '../store/run-table.ts';
import { claimTarget } from '../store/target-table.ts';
import { publishWarehouse } from '../warehouse/publish.ts';
import { ensureQueryTable } from '../warehouse/query-table.ts';
import { evaluateRules, refuseAmbiguousMoney } from './apply-rules.ts';
import { planChanges, settleIntents, settleLeftovers } from './change-budgets.ts';
import { discoverAccounts, type RunAccount } from './discover-accounts.ts';
import { extractQueries } from './extract-queries.ts';
import type { Inputs } from './load-inputs.ts';
import { sumUp } from './sum-up.ts';

export interface ReportOptions {
  /** Only these accounts; empty for all. */
  readonly customers: readonly CustomerId[];
  /** Read and evaluate; write no intent, send no change and no message. */
  readonly dryRun: boolean;
  /** Evaluate what the tables hold already. */
  readonly noExtract: boolean;
}

type Work = Omit<ReportResult, 'run'>;

/**
 * The main job: settle what earlier runs left open, read, evaluate, change, tell, publish. What fails for one account,
 * change or message is said at the end and stops nothing else. Throws `InputError` for what the user must mend first.
 */
export async function report(app: App, inputs: Inputs, options: ReportOptions): Promise<ReportResult> {
  const { state, clock, settings, target } = app;
  const startedMs = clock.now();
  const { dryRun } = options;
  const runId = await startRun(state.db, { command: 'report', target, mode: settings.mode, dryRun, nowMs: startedMs });
  try {
    const work = await workThrough(app, runId, inputs, options);
    const failures = [...work.failures];
    await end(app, runId, work);
    try {
      await publishWarehouse(state, join(settings.paths.data, 'warehouse.sqlite'), clock.now());
    } catch (error) {
      failures.push(`warehouse.sqlite could not be published and is as the last run left it: ${messageOf(error)}.`);
      await end(app, runId, { ...work, failures });
    }
    const exitCode = failures.length === 0 ? 0 : 1;
    const [startedAt, endedAt] = [instantText(startedMs), instantText(clock.now())];
    return { ...work, failures, run: { id: runId, target, mode: settings.mode, dryRun, startedAt, endedAt, exitCode } };
  } catch (error) {
    const nothing = { nowMs: clock.now(), accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0 };
    const stateOfRun = error instanceof InputError ? 'refused' : 'failed';
    const ended = { ...nothing, state: stateOfRun, failures: [messageOf(error)] } as const;
    // Where even this cannot be written the next run records that this one died; the reason must not be lost to it here.
    await endRun(state.db, runId, ended).catch(() => undefined);
    throw error;
  }
}

async function workThrough(app: App, runId: bigint, inputs: Inputs, options: ReportOptions): Promise<Work> {
  const { ads } = app;
  const accounts = ads ? await findAccounts(app, ads, options.customers) : { found: [], failures: [] };
  // Only a service that answered makes the data folder its own: a mistyped address does not.
  const answered = ads && accounts.failures.length < Math.max(1, accounts.found.length);
  if (answered) await claimTarget(app.state, app.target);
  refuseAmbiguousMoney(inputs.rules, accounts.found);
  for (const query of inputs.queries) await ensureQueryTable(app.state, query);
  const interrupted = options.dryRun ? 0 : await settleInterruptedMessages(app.state.db, app.clock.now());

  const left = inScope(await openIntents(app.state.db), options);
  const settled = ads && !options.dryRun ? await settleLeftovers(app, ads, left, accounts.found) : [];
  const slices = ads && !options.noExtract ? await extractQueries(app, ads, runId, inputs.queries, accounts.found) : [];
  const changes = ads ? await changeBudgets(app, ads, runId, inputs, accounts.found, options) : NO_CHANGES;
  const messages = options.dryRun ? [] : await deliverAlerts(app);

  const failures = [
    ...accounts.failures,
    ...slices.flatMap(sliceFailure),
    ...changes.failures,
    ...[...settled, ...changes.decisions].flatMap(decisionFailure),
    ...messages.flatMap(messageFailure),
    ...(interrupted > 0
      ? [`An earlier run was interrupted while it sent ${interrupted === 1 ? 'an alert' : `${interrupted} alerts`}.`]
      : []),
  ];
  return {
    notes: [...(await notesOf(app, options)), ...accountNotes(app, accounts), ...offerNotes(slices)],
    accounts: accounts.found,
    slices,
    totals: sumUp(app, inputs.queries, accounts.found),
    rules: changes.rules,
    decisions: changes.decisions,
    settled,
    messages,
    failures: failures.map(app.redact),
  };
}

/** A run for some accounts leaves what is open of the others to a run that covers them. */
function inScope(intents: readonly Intent[], { customers }: ReportOptions): readonly Intent[] {
  return customers.length === 0 ? intents : intents.filter(({ customerId }) => customers.includes(customerId));
}

/** When the accounts cannot even be listed, the rest of the run still delivers and publishes. */
async function findAccounts(
  app: App,
  ads: AdsConnection,
  only: readonly CustomerId[],
): Promise<{ readonly found: readonly RunAccount[]; readonly failures: readonly string[] }> {
  try {
    const found = await discoverAccounts(app, ads, only);
    const failed = found.flatMap(({ customerId, failure }) => (failure ? [`Account ${customerId}: ${failure}`] : []));
    return { found, failures: failed };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { found: [], failures: [`The accounts could not be listed, so none was read: ${explainFailure(error)}`] };
  }
}

const NO_CHANGES = { rules: [], decisions: [] as DecisionResult[], failures: [] as string[] };

async function changeBudgets(
  app: App,
  ads: AdsConnection,
  runId: bigint,
  { rules }: Inputs,
  accounts: readonly RunAccount[],
  { dryRun }: ReportOptions,
): Promise<Pick<Work, 'rules' | 'decisions' | 'failures'>> {
  const open = (await openIntents(app.state.db)).filter(mayHaveBeenSent);
  const evaluation = await evaluateRules(app, ads, rules, accounts, open);
  const plan = await planChanges(app, runId, evaluation.verdicts, accounts, dryRun);
  const applied = await settleIntents(app, ads, plan.intents, accounts);
  return { rules: evaluation.rules, decisions: [...applied, ...plan.decisions], failures: evaluation.failures };
}

async function deliverAlerts(app: App): Promise<MessageResult[]> {
  if (!app.messages) return [];
  const { connection, recipients } = app.messages;
  const deliveries = await deliverOutbox({
    ...app,
    messages: connection,
    recipients,
    retry: app.settings.messagesRetry,
  });
  return deliveries.map(({ recipient, text, state, error }) => ({
    recipient: maskRecipient(recipient),
    state,
    firstLine: text.split('\n').slice(0, 2).join(' '),
    detail: error,
  }));
}

async function notesOf(app: App, options: ReportOptions): Promise<string[]> {
  const notes = [...app.settings.notes];
  if (options.dryRun) notes.push('A dry run: nothing was changed and nothing was sent.');
  if (app.simulatedCost) notes.push('The market file has no cost: every cost shown is simulated.');
  if (!app.ads) notes.push('The advertising interface is not configured (ADS_URL): nothing was read or changed.');
  if (!app.messages) notes.push('The messaging interface is not configured (MESSAGES_URL): alerts wait in the outbox.');
  const { waiting, unknown } = await countMessages(app.state.db);
  if (waiting > 0) notes.push(`${waiting} ${waiting === 1 ? 'alert waits' : 'alerts wait'} in the outbox.`);
  if (unknown > 0)
    notes.push(
      `${unknown} ${unknown === 1 ? 'alert' : 'alerts'} may or may not have arrived and will not be sent again.`,
    );
  return notes;
}

function accountNotes(
  app: App,
  { found, failures }: { found: readonly RunAccount[]; failures: readonly string[] },
): string[] {
  if (!app.ads || found.length > 0 || failures.length > 0) return [];
  return ['The credentials reach no account: check ADS_LOGIN_CUSTOMER_ID, or name accounts in ADS_CUSTOMER_IDS.'];
}

async function end(app: App, runId: bigint, work: Work): Promise<void> {
  const changed = [...work.settled, ...work.decisions].filter(changedBudget);
  await endRun(app.state.db, runId, {
    state: work.failures.length === 0 ? 'done' : 'failed',
    nowMs: app.clock.now(),
    accounts: work.accounts.length,
    rowsRead: work.slices.reduce((sum, { rows }) => sum + rows, 0n),
    budgetChanges: changed.length,
    messagesSent: work.messages.filter(({ state }) => state === 'accepted').length,
    failures: work.failures,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
