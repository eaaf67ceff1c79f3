import { withdrawUnwanted } from '../alerts/address-pending.ts';
import type { DecisionFacts } from '../domain/decision-facts.ts';
import { InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { ReportResult } from '../language/results/report-result.ts';
import type { AdsConnection } from '../services/ads/ads-connection.ts';
import { conditionsOf } from '../storage/records/alerts/condition-table.ts';
import { openIntents } from '../storage/records/budgets/intent-table.ts';
import { expireProposals } from '../storage/records/budgets/proposal-table.ts';
import type { TestFinding } from '../storage/records/runs/data-test-table.ts';
import { ensureQueryTable } from '../storage/warehouse/evolve-table.ts';
import { runTargets } from '../views/pacing.ts';
import {
  decisionFailure,
  missedNotes,
  offerFailures,
  offerNotes,
  sliceFailures,
} from '../views/report/describe-results.ts';
import { accountNotes, findAccounts, NO_ACCOUNTS, type RunAccount } from './accounts/find-accounts.ts';
import { answeringFrom, type HandledBeside, handleInbox } from './answers/handle-inbox.ts';
import type { App } from './app.ts';
import { decidedInRun, endOldProposals, settleLeftovers, shareChanges } from './change/change-budgets.ts';
import { planChanges } from './change/plan-changes.ts';
import { applyInOrder } from './change/reallocation.ts';
import { pacingTargets, withheldTargets } from './evaluate/pacing.ts';
import { evaluateHere, shareEvaluation } from './evaluate/share-evaluation.ts';
import { NOT_TESTED, testFailures, testNotes, testRunData } from './evaluate/test-data.ts';
import { allRules, type Inputs, refuseAmbiguousMoney, rulesByName } from './load-inputs.ts';
import { type SharedWork, withWorkers } from './queue/shared-work.ts';
import { extractAccounts } from './read/extract-accounts.ts';
import { forgetRecords } from './read/forget-records.ts';
import { refuseOtherDays } from './read/plan-extraction.ts';
import { sumUp } from './read/sum-up.ts';
import { type Afterwards, recordedRun, type Work } from './recorded-run.ts';
import { alertNotes, deliverAlerts } from './tell/deliver-alerts.ts';
import { enqueueRuleAlerts, type RulesSaid } from './tell/enqueue-rule-alerts.ts';
import { enqueueTestAlerts } from './tell/enqueue-test-alerts.ts';

export interface ReportOptions {
  /** An empty list means all accounts. */
  readonly customers: readonly CustomerId[];
  /** If true, sends no budget change and no message. */
  readonly dryRun: boolean;
  readonly noExtract: boolean;
  readonly named?: boolean;
  readonly afterwards?: Afterwards;
}

/** A failed step does not stop the other steps. Throws `InputError` for mistakes of the user. */
export async function report(app: App, inputs: Inputs, options: ReportOptions): Promise<ReportResult> {
  const { dryRun, noExtract, afterwards } = options;
  if (!noExtract) refuseOtherDays(app, inputs.queries, WINDOW);
  // Messages are handled before the run, because an approval starts its own run.
  const arrived = dryRun ? { failures: [], answered: undefined } : await handleArrived(app);
  const answering = await answeringFrom(app, arrived.answered);
  const work = async (runId: bigint, running: App) => {
    const done = await workThrough(running, runId, inputs, options);
    return { ...done, failures: [...arrived.failures, ...done.failures] };
  };
  return recordedRun(answering, { command: 'report', dryRun }, work, afterwards);
}

async function workThrough(app: App, runId: bigint, inputs: Inputs, options: ReportOptions): Promise<Work> {
  const { ads, stop } = app;
  const { dryRun, named = false } = options;
  const { queries, rules } = inputs;

  const accounts = ads ? await findAccounts(app, ads, options.customers) : NO_ACCOUNTS;
  const { found } = accounts;
  refuseAmbiguousMoney(inputs, found);
  for (const query of queries) await ensureQueryTable(app.state, query);
  const settled = await settleEarlier(app, inputs, found, options);
  const ruleNamed = rulesByName(allRules(inputs));
  const extraction = { queries, rules, accounts: found, scope: WINDOW };
  const { slices, tested, evaluation, decisions } = await withWorkers(app, runId, inputs, found, async (shared) => {
    const slices = ads && !options.noExtract ? await extractAccounts(app, ads, runId, extraction, shared) : [];
    // Before the evaluation, because a rule must not read a table with an error.
    const tested = ads && !stop.aborted ? await testRunData(app, inputs, found, dryRun) : NOT_TESTED;
    const findings = [...tested.findings, ...tested.earlier];
    const evaluation = ads && (await evaluate(app, ads, inputs, found, { dryRun, findings }, shared));
    // All decisions are committed before the first change is sent.
    const planned = evaluation ? await planChanges(app, runId, evaluation.accounts, dryRun) : [];
    const share = ads && shared && shareChanges(shared, app, ads);
    const ends = ads ? await applyInOrder(app, ads, planned, found, ruleNamed, share) : new Map();
    return { slices, tested, evaluation, decisions: await decidedInRun(app.state.db, runId, ends) };
  });

  if (evaluation && !dryRun) {
    await enqueueRuleAlerts(app, rules, found, evaluation);
    await enqueueTestAlerts(app, tested, found);
  }
  const pacing = evaluation ? pacingTargets(evaluation, app.redact) : [];
  const withheld = evaluation ? withheldTargets(inputs.targets, evaluation, app.redact) : [];
  const isQuiet = dryRun || stop.aborted;
  const alerts = isQuiet
    ? { messages: [], failures: [], notes: await alertNotes(app) }
    : await deliverAlerts(app, runTargets({ pacing, withheld }));
  const undone = [
    ...(ads && !evaluation ? ['no rule was evaluated and no budget changed'] : []),
    ...(!dryRun && stop.aborted ? ['the next run sends the waiting alerts'] : []),
  ];

  // Old records are deleted before `recordedRun` publishes.
  const wrong = await app.wrongClock();
  const kept = dryRun ? undefined : await forgetRecords(app, runId);
  const failures = [
    ...accounts.failures,
    ...sliceFailures(slices),
    ...(named ? offerFailures(slices) : []),
    ...(evaluation?.failures ?? []),
    ...testFailures(tested.findings, inputs),
    ...settled.flatMap(decisionFailure),
    ...decisions.flatMap(decisionFailure),
    ...alerts.failures,
    ...(wrong === undefined ? [] : [`No budget change is sent: ${wrong}.`]),
    ...(kept === undefined ? [] : [kept]),
    ...(undone.length === 0 ? [] : [`The run was asked to stop: ${undone.join(', and ')}.`]),
  ];
  return {
    notes: [
      ...notesOf(app, dryRun),
      ...alerts.notes,
      ...accountNotes(ads, accounts),
      ...(named ? [] : offerNotes(slices)),
      ...missedNotes(pacing),
      ...testNotes(tested.findings),
    ],
    accounts: [...found, ...accounts.leftOut],
    slices,
    totals: await sumUp(app, queries, found),
    rules: evaluation?.rules ?? [],
    decisions,
    pacing,
    withheld,
    settled,
    messages: alerts.messages,
    failures: failures.map(app.redact),
  };
}

const WINDOW = { kind: 'window' } as const;

/** An unusable inbox does not stop the run, because reports and budgets do not need the inbox. */
async function handleArrived(app: App): Promise<Pick<HandledBeside, 'failures' | 'answered'>> {
  try {
    return await handleInbox(app);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const step = error instanceof InputError ? (error.nextStep ?? '') : '';
    return {
      failures: [app.redact(`Received messages were not handled and still wait: ${words} ${step}`.trimEnd())],
      answered: undefined,
    };
  }
}

/** If the run is only for some accounts, open changes of other accounts stay open. */
async function settleEarlier(
  app: App,
  inputs: Inputs,
  accounts: readonly RunAccount[],
  { customers, dryRun }: ReportOptions,
): Promise<DecisionFacts[]> {
  const { state, ads } = app;
  if (dryRun) return [];
  await expireProposals(state.db, app.clock.now());
  if (!ads) return [];
  const open = await openIntents(state.db);
  const left = customers.length === 0 ? open : open.filter(({ customerId }) => customers.includes(customerId));
  return settleLeftovers(app, ads, left, accounts, rulesByName(allRules(inputs)));
}

/** Returns undefined after a stop, because the evaluation is then incomplete. */
async function evaluate(
  app: App,
  ads: AdsConnection,
  inputs: Inputs,
  accounts: readonly RunAccount[],
  { dryRun, findings }: { readonly dryRun: boolean; readonly findings: readonly TestFinding[] },
  shared: SharedWork | undefined,
): Promise<RulesSaid | undefined> {
  if (app.stop.aborted) return undefined;
  if (!dryRun) {
    await endOldProposals(app, accounts, rulesByName(allRules(inputs)));
    // Alerts are withdrawn before new alerts are added, because a withdrawn alert counts as never sent.
    await withdrawUnwanted(app.state.db, app.clock.now());
  }
  const known = await conditionsOf(app.state.db);
  const { targets, rates } = inputs;
  const evaluating = { dryRun, findings, known: [...known.values()], targets, rates };
  const share = shared && shareEvaluation(shared, ads, inputs.rules, evaluating);
  const evaluation = await evaluateHere(app, ads, inputs.rules, accounts, evaluating, share);
  return app.stop.aborted ? undefined : { ...evaluation, known };
}

function notesOf({ settings, replayed, ads }: App, dryRun: boolean): string[] {
  const notes = [...settings.notes];
  if (dryRun) notes.push('A dry run: nothing was changed and nothing was sent.');
  if (replayed?.simulatedCost) notes.push('The market file has no cost. All costs shown are simulated.');
  if (ads?.time.isSilent) notes.push('The advertising interface sends no time, so the clock was not compared with it.');
  if (!ads) notes.push('The advertising interface is not configured (ADS_URL): nothing was read or changed.');
  return notes;
}
