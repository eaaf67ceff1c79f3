import { deliverOutbox } from '../alerts/deliver.ts';
import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { mayHaveBeenSent } from '../budgets/apply-intent.ts';
import type { CustomerId } from '../domain/ids.ts';
import { maskRecipient } from '../http/redact.ts';
import { decisionFailure, messageFailure, offerNotes, sliceFailures } from '../report/describe-results.ts';
import type { DecisionResult, MessageResult, ReportResult } from '../report/report-result.ts';
import { type Intent, openIntents } from '../store/intent-table.ts';
import { countMessages, settleInterruptedMessages } from '../store/outbox-table.ts';
import { ensureQueryTable } from '../warehouse/evolve-table.ts';
import { evaluateRules, refuseAmbiguousMoney } from './apply-rules.ts';
import { planChanges, settleIntents, settleLeftovers } from './change-budgets.ts';
import type { RunAccount } from './discover-accounts.ts';
import { extractAccounts } from './extract-accounts.ts';
import { accountNotes, findAccounts, NO_ACCOUNTS } from './find-accounts.ts';
import type { Inputs } from './load-inputs.ts';
import { recordedRun, type Work } from './recorded-run.ts';
import { sumUp } from './sum-up.ts';

export interface ReportOptions {
  /** Only these accounts; empty for all. */
  readonly customers: readonly CustomerId[];
  /** Read and evaluate; write no intent, send no change and no message. */
  readonly dryRun: boolean;
  /** Evaluate what the tables hold already. */
  readonly noExtract: boolean;
}

/**
 * The main job: settle what earlier runs left open, read, evaluate, change, tell, publish. What fails for one account,
 * change or message is said at the end and stops nothing else. Throws `InputError` for what the user must mend first.
 */
export function report(app: App, inputs: Inputs, options: ReportOptions): Promise<ReportResult> {
  const about = { command: 'report', dryRun: options.dryRun } as const;
  return recordedRun(app, about, (runId) => workThrough(app, runId, inputs, options));
}

async function workThrough(app: App, runId: bigint, inputs: Inputs, options: ReportOptions): Promise<Work> {
  const { ads } = app;
  const accounts = ads ? await findAccounts(app, ads, options.customers) : NO_ACCOUNTS;
  refuseAmbiguousMoney(inputs.rules, accounts.found);
  for (const query of inputs.queries) await ensureQueryTable(app.state, query);
  const interrupted = options.dryRun ? 0 : await settleInterruptedMessages(app.state.db, app.clock.now());

  const left = inScope(await openIntents(app.state.db), options);
  const settled = ads && !options.dryRun ? await settleLeftovers(app, ads, left, accounts.found) : [];
  const extraction = { ...inputs, accounts: accounts.found, scope: { kind: 'window' } } as const;
  const slices = ads && !options.noExtract ? await extractAccounts(app, ads, runId, extraction) : [];
  const changes = ads ? await changeBudgets(app, ads, runId, inputs, accounts.found, options) : NO_CHANGES;
  const messages = options.dryRun ? [] : await deliverAlerts(app);

  const failures = [
    ...accounts.failures,
    ...sliceFailures(slices),
    ...changes.failures,
    ...[...settled, ...changes.decisions].flatMap(decisionFailure),
    ...messages.flatMap(messageFailure),
    ...(interrupted > 0
      ? [`An earlier run was interrupted while it sent ${interrupted === 1 ? 'an alert' : `${interrupted} alerts`}.`]
      : []),
  ];
  return {
    notes: [...(await notesOf(app, options)), ...accountNotes(ads, accounts), ...offerNotes(slices)],
    accounts: [...accounts.found, ...accounts.leftOut],
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
