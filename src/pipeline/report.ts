import { withdrawUnwanted } from '../alerts/withdraw-unwanted.ts';
import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { ReportResult } from '../results/report-result.ts';
import type { Keep } from '../rules/evaluate/ledger.ts';
import { conditionsOf } from '../store/alerts/condition-table.ts';
import { type Intent, openIntents } from '../store/budgets/intent-table.ts';
import { expireProposals } from '../store/budgets/proposal-table.ts';
import { decisionFailure, offerFailures, offerNotes, sliceFailures } from '../views/report/describe-results.ts';
import { ensureQueryTable } from '../warehouse/evolve-table.ts';
import { accountNotes, findAccounts, NO_ACCOUNTS, type RunAccount } from './accounts/find-accounts.ts';
import { answeringFrom, type HandledBeside, handleInbox } from './answers/handle-inbox.ts';
import { applyPlanned, endOldProposals, settleLeftovers } from './change/change-budgets.ts';
import { planChanges } from './change/plan-changes.ts';
import { evaluateRules } from './evaluate/evaluate-rules.ts';
import { isPacing, pacingTargets } from './evaluate/pacing.ts';
import { allRules, type Inputs, refuseAmbiguousMoney, rulesByName } from './load-inputs.ts';
import { extractAccounts } from './read/extract-accounts.ts';
import { forgetRecords } from './read/forget-records.ts';
import { refuseOtherDays } from './read/plan-extraction.ts';
import { sumUp } from './read/sum-up.ts';
import { type Afterwards, recordedRun, type Work } from './recorded-run.ts';
import { alertNotes, deliverAlerts } from './tell/deliver-alerts.ts';
import { endUnseenConditions, enqueueRuleAlerts, keepOpen } from './tell/enqueue-rule-alerts.ts';

export interface ReportOptions {
  /** Only these accounts; empty for all. */
  readonly customers: readonly CustomerId[];
  /** Read and evaluate; write no intent, send no change and no message. */
  readonly dryRun: boolean;
  /** Evaluate what the tables hold already. */
  readonly noExtract: boolean;
  /** Whether somebody named the queries. */
  readonly named?: boolean;
  /** Makes what is made of the run when it is published; nothing when absent. */
  readonly afterwards?: Afterwards;
}

/**
 * The main job: act on what people answered, settle what earlier runs left open, read, evaluate, change, tell, publish. What
 * fails for one account, change or message is said at the end and stops nothing else. Throws `InputError` for what the user
 * must mend first.
 */
export async function report(app: App, inputs: Inputs, options: ReportOptions): Promise<ReportResult> {
  if (!options.noExtract) refuseOtherDays(app, inputs.queries, { kind: 'window' });
  const about = { command: 'report', dryRun: options.dryRun } as const;
  // Before the run: an approval that arrived is a run of its own.
  const arrived = options.dryRun ? { failures: [], answered: undefined } : await handleArrived(app);
  const answering = await answeringFrom(app, arrived.answered);
  const work = async (runId: bigint, told: App) => {
    const done = await workThrough(told, runId, inputs, options);
    return { ...done, failures: [...arrived.failures, ...done.failures] };
  };
  return recordedRun(answering, about, work, options.afterwards);
}

/** An inbox that cannot be used is one failure of the run: budgets and reports do not depend on it. */
async function handleArrived(app: App): Promise<Pick<HandledBeside, 'failures' | 'answered'>> {
  try {
    return await handleInbox(app);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const step = error instanceof InputError ? (error.nextStep ?? '') : '';
    return { failures: [app.redact(`What arrived waits on: ${words} ${step}`.trimEnd())], answered: undefined };
  }
}

async function workThrough(app: App, runId: bigint, inputs: Inputs, options: ReportOptions): Promise<Work> {
  const { ads } = app;
  const { dryRun, named = false } = options;
  const undone: string[] = [];
  const accounts = ads ? await findAccounts(app, ads, options.customers) : NO_ACCOUNTS;
  refuseAmbiguousMoney(inputs, accounts.found);
  for (const query of inputs.queries) await ensureQueryTable(app.state, query);

  if (!dryRun) await expireProposals(app.state.db, app.clock.now());
  const left = inScope(await openIntents(app.state.db), options);
  const settled =
    ads && !dryRun ? await settleLeftovers(app, ads, left, accounts.found, rulesByName(allRules(inputs))) : [];
  const extraction = { ...inputs, accounts: accounts.found, scope: { kind: 'window' } } as const;
  const slices = ads && !options.noExtract ? await extractAccounts(app, ads, runId, extraction) : [];
  const changes = ads ? await changeBudgets(app, ads, runId, inputs, accounts.found, dryRun) : NO_CHANGES;
  if (changes === UNDECIDED) undone.push('no rule was evaluated and no budget changed');
  const quiet = dryRun || app.stop.aborted;
  const alerts = quiet ? { messages: [], failures: [], notes: await alertNotes(app) } : await deliverAlerts(app);
  if (!dryRun && app.stop.aborted) undone.push('what waits to be told is told by the next run');

  // After all that a person waits for, and before the tables are published.
  const kept = dryRun ? undefined : await forgetRecords(app, runId);
  const failures = [
    ...accounts.failures,
    ...sliceFailures(slices),
    ...(named ? offerFailures(slices) : []),
    ...changes.failures,
    ...[...settled, ...changes.decisions].flatMap(decisionFailure),
    ...alerts.failures,
    ...(kept === undefined ? [] : [kept]),
    ...(undone.length === 0 ? [] : [`The run was asked to stop: ${undone.join(', and ')}.`]),
  ];
  return {
    notes: [
      ...notesOf(app, dryRun),
      ...alerts.notes,
      ...accountNotes(ads, accounts),
      ...(named ? [] : offerNotes(slices)),
    ],
    accounts: [...accounts.found, ...accounts.leftOut],
    slices,
    totals: sumUp(app, inputs.queries, accounts.found),
    rules: changes.rules,
    decisions: changes.decisions,
    pacing: changes.pacing,
    settled,
    messages: alerts.messages,
    failures: failures.map(app.redact),
  };
}

/** A run for some accounts leaves what is open of the others to a run that covers them. */
function inScope(intents: readonly Intent[], { customers }: ReportOptions): readonly Intent[] {
  return customers.length === 0 ? intents : intents.filter(({ customerId }) => customers.includes(customerId));
}

const NO_CHANGES = { rules: [], decisions: [], pacing: [], failures: [] };

/** What changing budgets comes to where the run is asked to stop before anything was decided. */
const UNDECIDED: typeof NO_CHANGES = { ...NO_CHANGES };

async function changeBudgets(
  app: App,
  ads: AdsConnection,
  runId: bigint,
  inputs: Inputs,
  accounts: readonly RunAccount[],
  dryRun: boolean,
): Promise<Pick<Work, 'rules' | 'decisions' | 'failures'> & Required<Pick<Work, 'pacing'>>> {
  if (app.stop.aborted) return UNDECIDED;
  const { rules } = inputs;
  if (!dryRun) {
    await endOldProposals(app, accounts, rulesByName(allRules(inputs)));
    // What nobody was told of by them is known before it is decided what people are told.
    await withdrawUnwanted(app.state.db, app.clock.now());
  }
  const known = await conditionsOf(app.state.db);
  const open = keepOpen(known);
  const keep: Keep = (truth, rule, subject) => isPacing(rule) || open(truth, rule, subject);
  const evaluation = await evaluateRules(app, ads, rules, accounts, { dryRun, keep });
  // By half of the accounts nothing is decided, and nobody told.
  if (app.stop.aborted) return UNDECIDED;
  const plan = await planChanges(app, runId, evaluation.accounts, dryRun);
  const applied = await applyPlanned(app, ads, plan.intents, accounts);
  if (!dryRun) {
    await enqueueRuleAlerts(app, { rules, accounts, evaluation, known });
    await endUnseenConditions(app, accounts, known);
  }
  return {
    rules: evaluation.rules,
    decisions: [...applied, ...plan.decisions],
    pacing: pacingTargets(evaluation, rules.filter(isPacing), app.redact),
    failures: evaluation.failures,
  };
}

function notesOf({ settings, replayed, ads }: App, dryRun: boolean): string[] {
  const notes = [...settings.notes];
  if (dryRun) notes.push('A dry run: nothing was changed and nothing was sent.');
  if (replayed?.simulatedCost) notes.push('The market file has no cost: every cost shown is simulated.');
  if (!ads) notes.push('The advertising interface is not configured (ADS_URL): nothing was read or changed.');
  return notes;
}
