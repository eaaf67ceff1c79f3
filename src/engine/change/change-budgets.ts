import pMap from 'p-map';
import { agentLimits } from '../../config/agent-limits.ts';
import type { Settings } from '../../config/settings.ts';
import { subjectOf } from '../../domain/budget-change.ts';
import { type CivilDate, civilDateAt } from '../../domain/civil-date.ts';
import type { DecisionFacts } from '../../domain/decision-facts.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { ReportResult } from '../../language/results/report-result.ts';
import { type Refusal, refused } from '../../language/rules/decide/refusal.ts';
import { notServing } from '../../language/rules/decide/what-serves.ts';
import { type Mode, narrower, type Rule } from '../../language/rules/rule.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import { decisionsOfRun } from '../../storage/records/budgets/decision-table.ts';
import { type Intent, intentsById, openIntents } from '../../storage/records/budgets/intent-table.ts';
import { decideProposal, openProposals, type Proposal } from '../../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { testFindings } from '../../storage/records/runs/data-test-table.ts';
import { decisionFailure } from '../../views/report/describe-results.ts';
import { findAccounts, type RunAccount, requireAds } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { type BudgetDeps, isOpen, mayHaveBeenSent } from '../budgets/budget-deps.ts';
import { applyIntents, settleIntents } from '../budgets/carry-out.ts';
import type { Ends } from '../budgets/check-intents.ts';
import type { BudgetBook } from '../budgets/read-budgets.ts';
import { errorsIn, stoppedBy } from '../evaluate/test-data.ts';
import { inputsNow, type RuleNamed, rulesOf } from '../load-inputs.ts';
import { GIVEN_AT_ONCE, type SharedWork } from '../queue/shared-work.ts';
import { NO_WORK, recordedRun } from '../recorded-run.ts';
import { deliverAlerts } from '../tell/deliver-alerts.ts';

/** Sends an unanswered change again only if the current rule still allows the change. */
export async function settleLeftovers(
  app: App,
  ads: AdsConnection,
  left: readonly Intent[],
  accounts: readonly RunAccount[],
  ruleNamed: RuleNamed,
): Promise<DecisionFacts[]> {
  const deps = sendPath(app, ads);
  const findings = await testFindings(app.state.db);
  const mayResend = (intent: Intent, book: BudgetBook) => {
    const rule = ruleNamed(intent.rule);
    // Declared amounts would stay in doubt.
    if (book.source === 'read' && isBoundedIncrease(app, intent, rule)) return false;
    if (intent.kind === 'undo') return true;
    // Its counterpart has ended, so the total would change.
    if (book.source === 'read' && isReallocation(rule)) return false;
    if (rule === undefined || stoppedBy(errorsIn(findings, intent.customerId), rule) !== undefined) return false;
    const needed = intent.origin === 'approval' ? 'approve' : 'apply';
    if (lapsedRight(intent, rule, app.settings.automation.mode, needed) !== undefined) return false;
    return notServedNow(rule, intent, book) === undefined;
  };
  const ends = await byAccount(app, left, async (customer, own) => {
    const account = datedAccount(customer, accounts);
    if (account !== undefined) return settleIntents(deps, customer, own, todayOf(app, account), mayResend);
    // The account's day is unknown, so only changes that were never sent can end.
    const unsent = own.filter((intent) => !mayHaveBeenSent(intent));
    return settleIntents(deps, customer, unsent, () => civilDateAt(app.clock.now(), 'UTC'), mayResend);
  });
  return left.map((intent) => changeFacts(ends.get(intent.id) ?? intent, !ends.has(intent.id)));
}

/**
 * True if the increase counts in a sum with a limit: of a target or of the account. The limit was checked when the change
 * was decided. Meanwhile, a person or a new day may have taken the room, so the next decision must find out.
 */
function isBoundedIncrease(
  { settings }: Pick<App, 'settings'>,
  { customerId, from, to }: Intent,
  rule: Rule | undefined,
): boolean {
  const { dailyTotal, dailyExposure } = settings.accounts.get(customerId) ?? {};
  return (
    to > from &&
    (rule?.change?.kind === 'pace' || isReallocation(rule) || dailyTotal !== undefined || dailyExposure !== undefined)
  );
}

export const isReallocation = (rule: Rule | undefined): boolean => rule?.change?.kind === 'reallocate';

export type ShareChanges = (account: DatedAccount, own: readonly Intent[]) => Promise<Ends>;

/** Ends lack the changes that it could not look at. With `share`, the budgets of several accounts are changed at the same time. */
export async function applyPlanned(
  app: App,
  ads: AdsConnection,
  planned: readonly Intent[],
  accounts: readonly RunAccount[],
  share?: ShareChanges,
): Promise<Ends> {
  const deps = sendPath(app, ads);
  const apply = async (customer: CustomerId, own: readonly Intent[]): Promise<Ends> => {
    const account = datedAccount(customer, accounts);
    if (account === undefined) return new Map();
    return share ? share(account, own) : applyIntents(deps, customer, own, todayOf(app, account));
  };
  return byAccount(app, planned, apply, share ? GIVEN_AT_ONCE : 1);
}

async function byAccount(
  app: App,
  intents: readonly Intent[],
  work: (customer: CustomerId, own: readonly Intent[]) => Promise<Ends>,
  concurrency = 1,
): Promise<Ends> {
  const all = new Map<bigint, Intent>();
  const endAccount = async ([customer, own]: [CustomerId, readonly Intent[]]) => {
    const ends = await work(customer, own);
    for (const { id, budgetId } of own) {
      const end = ends.get(id);
      const word = end?.state === 'planned' ? 'postponed' : (end?.state ?? 'not read');
      app.log.step(`Budget ${budgetId} of account ${customer}: ${word}`);
      if (end) all.set(id, end);
    }
  };
  await pMap(
    Map.groupBy(intents, ({ customerId }) => customerId),
    endAccount,
    { concurrency },
  );
  return all;
}

/** An account whose day is known. */
type DatedAccount = RunAccount & { readonly timeZone: string };

export function datedAccount(customer: CustomerId, accounts: readonly RunAccount[]): DatedAccount | undefined {
  const account = accounts.find(({ customerId, failure }) => customerId === customer && failure === undefined);
  if (account?.timeZone === undefined) return undefined;
  return { ...account, timeZone: account.timeZone };
}

export function todayOf({ clock }: Pick<App, 'clock'>, { timeZone }: DatedAccount): () => CivilDate {
  return () => civilDateAt(clock.now(), timeZone);
}

/** Refuses a budget that the campaign no longer uses, or whose campaigns are all stopped. */
export function notServedNow(
  rule: Rule | undefined,
  { budgetId, campaignId }: Pick<DecidedChange, 'budgetId' | 'campaignId'>,
  { byCampaign }: Pick<BudgetBook, 'byCampaign'>,
): Refusal | undefined {
  const spending = [...byCampaign].filter(([, one]) => one.budgetId === budgetId);
  const own = campaignId === undefined ? spending : spending.filter(([id]) => id === campaignId);
  if (campaignId !== undefined && own.length === 0) {
    return refused('NOT_SERVING', { campaignId, budgetId });
  }
  const campaigns = own.map(([id, { campaignName, campaignStatus }]) => ({
    label: subjectOf({ campaignId: id, campaignName, budgetId }, 'with id'),
    status: campaignStatus,
  }));
  return rule && notServing(rule, campaigns);
}

export function sendPath(app: App, ads: AdsConnection): BudgetDeps {
  const { state, clock, log, passes, killSwitch, settings, stop } = app;
  return {
    state,
    ads,
    clock,
    log,
    passes,
    stop,
    frozen: (show) => killSwitch.frozen(show),
    readLagMs: settings.automation.readLagMinutes * 60_000,
    declared: (customer) => settings.budgets.get(customer) ?? new Map(),
    locale: (customer) => settings.accounts.get(customer)?.locale,
  };
}

/** Ends proposals of earlier days and of changed rules, because this run decides again. */
export async function endOldProposals(app: App, accounts: readonly RunAccount[], ruleNamed: RuleNamed): Promise<void> {
  const nowMs = app.clock.now();
  const { db } = app.state;
  for (const proposal of await openProposals(db, nowMs)) {
    const { code, customerId, accountDay, rule } = proposal;
    const account = accounts.find((one) => one.customerId === customerId);
    if (account?.timeZone === undefined || account.failure !== undefined) continue;
    const today = civilDateAt(nowMs, account.timeZone);
    const old = {
      reason: `The change was decided on ${accountDay}. Today is ${today}: rules decide with new numbers.`,
      code: undefined,
    };
    const isOld = proposal.maker === 'rule' && accountDay < today;
    const end = isOld ? old : lapsedProposal(app.settings, proposal, ruleNamed(rule));
    if (end === undefined) continue;
    const decision = { state: 'superseded', by: 'pacekeeper', why: end.reason, code: end.code } as const;
    await decideProposal(db, code, decision, nowMs);
  }
}

export function reconcileBudgets(opened: App): Promise<ReportResult> {
  return recordedRun(opened, { command: 'budgets reconcile', dryRun: false }, async (_, app) => {
    const ads = requireAds(app, 'no budget can be read');
    const left = await openIntents(app.state.db);
    if (left.length === 0) return { ...NO_WORK, notes: ['No change has an unknown outcome.'] };
    const accounts = await findAccounts(app, ads, [...new Set(left.map(({ customerId }) => customerId))], 'skipped');
    const ruleNamed = rulesOf(await inputsNow(app.settings, app.clock.now()));
    const settled = await settleLeftovers(app, ads, left, accounts.found, ruleNamed);
    const alerts = await deliverAlerts(app);
    const failures = [...accounts.failures, ...settled.flatMap(decisionFailure), ...alerts.failures];
    return {
      ...NO_WORK,
      ...alerts,
      accounts: accounts.found,
      settled,
      failures: failures.map(app.redact),
    };
  });
}

export interface Lapse {
  readonly code: 'RULE_GONE' | 'RULE_CHANGED' | 'MODE_NARROWED' | 'ACCOUNT_EXCLUDED' | 'AGENTS_READ_ONLY';
  readonly reason: string;
}

/** Returns undefined if the decision is still valid. */
export function lapsedRight(
  decided: { readonly rule: string; readonly ruleVersion: string },
  rule: Rule | undefined,
  widest: Mode,
  needed: Exclude<Mode, 'propose'>,
): Lapse | undefined {
  if (rule === undefined) {
    return { code: 'RULE_GONE', reason: `The rule ${decided.rule} no longer exists, so there is nothing to approve.` };
  }
  if (narrower(widest, needed) !== needed) {
    return {
      code: 'MODE_NARROWED',
      reason: `The change needs mode ${needed}, but automation.mode is ${widest}. ${widen(needed)}`,
    };
  }
  if (narrower(rule.mode, needed) !== needed) {
    return {
      code: 'MODE_NARROWED',
      reason: `The change needs mode ${needed}, but the rule's mode is ${rule.mode}. ${widen(needed)}`,
    };
  }
  if (decided.ruleVersion === '' || decided.ruleVersion === rule.version) return undefined;
  const versions = `version ${decided.ruleVersion} is now ${rule.version}`;
  return {
    code: 'RULE_CHANGED',
    reason: `The rule ${rule.name} has changed: ${versions}. The next report uses it.`,
  };
}

/** A suggestion of an agent lasts until its own end. */
export function lapsedProposal(settings: Settings, proposal: Proposal, rule: Rule | undefined): Lapse | undefined {
  const { mode } = settings.automation;
  return proposal.maker === 'agent' ? lapsedSuggestion(settings) : lapsedRight(proposal, rule, mode, 'approve');
}

/** Why no suggestion of an agent can be approved. Undefined if one can. */
export function lapsedSuggestion(settings: Settings): Lapse | undefined {
  const { automation, agents } = settings;
  if (agents.mode === 'read' || agentLimits(settings) === undefined) {
    const found = agents.mode === 'read' ? 'agents.mode is read' : 'agents.limits are not set';
    return { code: 'AGENTS_READ_ONLY', reason: `Agents may only read: ${found}.` };
  }
  if (narrower(automation.mode, 'approve') === 'approve') return undefined;
  const reason = `A suggestion needs mode approve, but automation.mode is ${automation.mode}. ${widen('approve')}`;
  return { code: 'MODE_NARROWED', reason };
}

const widen = (needed: Mode) => `Set it to ${needed}. The next report then decides again.`;

/** The decisions of a run from the ledger, changes first. `ends` lacks changes whose account the run could not read. */
export async function decidedInRun(db: StateDb, runId: bigint, ends: Ends): Promise<DecisionFacts[]> {
  const decided = await decisionsOfRun(db, runId);
  const { change = [], other = [] } = Object.groupBy(decided, ({ kind }) => (kind === 'change' ? kind : 'other'));
  const changes = change.map((one) => {
    return one.intent && !ends.has(one.intent.id) ? { ...one, intent: { ...one.intent, isUnread: true } } : one;
  });
  return [...changes, ...other];
}

/** From the change itself, because the ledger can lack a change that an early version made. */
export function changeFacts(intent: Intent, isUnread = false): DecisionFacts {
  const { id, state, undoes, actor, code, outcome } = intent;
  return { ...intent, ...UNDECIDED, kind: 'change', intent: { id, state, undoes, actor, code, outcome, isUnread } };
}

/** The ledger does not have the refused change of a person. */
export function refusedFacts(
  change: DecidedChange & Partial<Pick<Intent, 'origin'>>,
  code: string,
  refused: NonNullable<DecisionFacts['refused']>,
): DecisionFacts {
  return { origin: 'rule', ...change, ...UNDECIDED, kind: 'refusal', code, refused };
}

const UNDECIDED = {
  subject: undefined,
  mode: undefined,
  code: undefined,
  facts: undefined,
  intent: undefined,
  proposal: undefined,
};

/** A worker's order. The records have the changes. */
export interface ChangesTask {
  readonly account: DatedAccount;
  readonly intents: readonly bigint[];
}

interface ChangesAnswer {
  readonly ends: Ends;
  readonly operations: number;
}

/** Lets any worker change the budgets of an account, or this process. Only one at a time does. */
export function shareChanges(shared: SharedWork, app: App, ads: AdsConnection): ShareChanges {
  return async (account, own) => {
    const about: ChangesTask = { account, intents: own.map(({ id }) => id) };
    const order = { kind: 'change', about, priority: 0, isTriedOnce: true } as const;
    const { ends, operations } = await shared.give<ChangesAnswer>(order, async () => {
      return { ends: await applyRecorded(app, ads, about), operations: 0 };
    });
    ads.operations.count += operations;
    return ends;
  };
}

/** Changes the budgets of an account for the run of another process. */
export async function changeForRun(app: App, ads: AdsConnection, task: ChangesTask): Promise<ChangesAnswer> {
  const own = { ...ads, operations: { count: 0 } };
  return { ends: await applyRecorded(app, own, task), operations: own.operations.count };
}

/** After the death of a worker that had begun, sends nothing more. Reads whether the changes that it sent were made. */
async function applyRecorded(app: App, ads: AdsConnection, { account, intents }: ChangesTask): Promise<Ends> {
  const deps = sendPath(app, ads);
  const today = todayOf(app, account);
  const { customerId } = account;
  // A transaction waits for the last write of the worker.
  const found = await app.state.db.transaction().execute((trx) => intentsById(trx, intents));
  const isNew = ({ state }: Intent) => state === 'planned';
  const begun = found.filter((intent) => isOpen(intent) && !isNew(intent));
  const settled = await settleIntents(deps, customerId, begun, today, () => false);
  const applied = await applyIntents(deps, customerId, found.filter(isNew), today);
  const ended = found.filter((intent) => !isOpen(intent));
  return new Map([...ended.map((intent) => [intent.id, intent] as const), ...settled, ...applied]);
}
