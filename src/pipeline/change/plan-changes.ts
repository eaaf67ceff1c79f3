import type { App } from '../../app.ts';
import { planIntents } from '../../budgets/carry-out.ts';
import { alertForProposal, type Told, untilWords } from '../../budgets/describe-change.ts';
import { addDays, civilDateAt, endOfGrain, startOfDayMs } from '../../domain/civil-date.ts';
import { tellableName } from '../../http/tellable.ts';
import type { DecisionResult } from '../../results/report-result.ts';
import type { Decision } from '../../rules/decide/decision.ts';
import { refused } from '../../rules/decide/refusal.ts';
import { refusalWords } from '../../rules/decide/refusal-words.ts';
import type { Rule } from '../../rules/rule.ts';
import { enqueueAlert, type NewAlert } from '../../store/alerts/alert-table.ts';
import type { DecidedChange } from '../../store/budgets/decided-change.ts';
import { type NewDecision, recordDecision } from '../../store/budgets/decision-table.ts';
import type { Intent } from '../../store/budgets/intent-table.ts';
import { insertProposal, type Proposal } from '../../store/budgets/proposal-table.ts';
import { knownAccount } from '../../store/runs/account-table.ts';
import type { StateDb } from '../../store/sqlite/open-state.ts';
import { changedIn, decisionResult } from '../evaluate/decision-results.ts';
import type { AccountDecisions } from '../evaluate/evaluate-rules.ts';
import { mapTexts } from '../redact-texts.ts';

export interface Plan {
  readonly intents: readonly Intent[];
  /** What is decided without an intent: refusals, proposals, what is only shown. */
  readonly decisions: readonly DecisionResult[];
}

export const NO_PLAN: Plan = { intents: [], decisions: [] };

/**
 * Writes down what was decided, before anything is sent: an intent for each change that may be applied, a proposal for
 * each that a person must approve, and in the ledger what was refused or is only shown. All of an account in one
 * transaction. The number of changes in a run is bounded over all accounts together: decreases first, then increases, in the
 * order of the accounts.
 */
export async function planChanges(
  app: App,
  runId: bigint,
  accounts: readonly AccountDecisions[],
  dryRun: boolean,
): Promise<Plan> {
  const heldToRun = holdToRun(accounts, app.settings.automation.changesPerRun);
  const intents: Intent[] = [];
  const decisions: DecisionResult[] = [];
  for (const account of accounts) {
    const plan = await planAccount(app, { runId, dryRun, heldToRun }, account);
    intents.push(...plan.intents);
    decisions.push(...plan.decisions);
  }
  return { intents, decisions };
}

/** What a run would plan. Nothing is written down, no decision either. */
export function showChanges(
  { settings, redact }: Pick<App, 'settings' | 'redact'>,
  accounts: readonly AccountDecisions[],
): DecisionResult[] {
  const heldToRun = holdToRun(accounts, settings.automation.changesPerRun);
  return accounts.flatMap((account) =>
    account.decisions.map((decision) => decisionResult(account, heldToRun(decision), redact)),
  );
}

interface PlanningRun {
  readonly runId: bigint;
  readonly dryRun: boolean;
  readonly heldToRun: (decision: Decision) => Decision;
}

async function planAccount(app: App, run: PlanningRun, account: AccountDecisions): Promise<Plan> {
  const decided = account.decisions.map(run.heldToRun);
  const isPlanned = (one: Decision) => isChange(one) && one.mode === 'apply' && !run.dryRun;
  const planned = decided.filter(isChange).filter(isPlanned);
  const decisions: DecisionResult[] = [];
  const intents = await planIntents(
    app,
    run.runId,
    planned.map((decision) => ({
      ...decidedChange(account, decision, app),
      kind: 'rule' as const,
      origin: 'rule' as const,
      undoes: undefined,
      actor: `rule ${decision.wish.rule.name}@${decision.wish.rule.version}`,
    })),
    async (trx, made) => {
      const beside = decided.filter((one) => !isPlanned(one));
      const lost = planned.filter((_, index) => made[index] === undefined).map(taken);
      for (const decision of [...beside, ...lost]) {
        const isAsked = isChange(decision) && decision.mode === 'approve' && !run.dryRun;
        decisions.push(
          isAsked ? await propose(app, trx, run, account, decision) : await record(app, trx, run, account, decision),
        );
      }
    },
  );
  return { intents: intents.filter((intent) => intent !== undefined), decisions };
}

/** Writes down what is refused or only shown. */
async function record(
  { clock, redact }: Pick<App, 'clock' | 'redact'>,
  trx: StateDb,
  { runId, dryRun }: PlanningRun,
  account: AccountDecisions,
  decision: Decision,
): Promise<DecisionResult> {
  const nowMs = clock.now();
  if (isChange(decision)) {
    const change = decidedChange(account, decision, { clock, redact });
    const { mode } = decision;
    await recordDecision(trx, runId, { ...change, kind: 'would_change', mode, dryRun }, nowMs);
  } else {
    const { wish } = decision;
    const { code } = decision.refusal;
    const about = decidedAbout(account, decision, { clock, redact });
    const { currency } = account;
    const reason = redact(wish.because);
    const facts = mapTexts(decision.refusal.facts, redact);
    const refusal = {
      ...about,
      kind: 'refusal',
      budgetId: wish.budgetId,
      currency,
      reason,
      code,
      facts,
      dryRun,
    } as const;
    await recordDecision(trx, runId, refusal, nowMs);
  }
  return decisionResult(account, decision, redact);
}

/** Refuses what is beyond the number of changes in a run. What is only shown takes nobody's place. */
function holdToRun(accounts: readonly AccountDecisions[], most: number): (decision: Decision) => Decision {
  const made = accounts.flatMap(({ decisions }) => decisions.filter(isChange).filter(({ mode }) => mode !== 'propose'));
  const rank = ({ from, to }: ChangeDecision) => (to < from ? 0 : 1);
  const left = new Set<Decision>(made.toSorted((a, b) => rank(a) - rank(b)).slice(most));
  return (decision) => (isChange(decision) && left.has(decision) ? beyond(decision, most) : decision);
}

type ChangeDecision = Extract<Decision, { readonly kind: 'change' }>;
type Refused = Exclude<Decision, ChangeDecision>;

function isChange(decision: Decision): decision is ChangeDecision {
  return decision.kind === 'change';
}

/** What goes on record of a decision: the names in its texts come from rows, which hold whatever the service said. */
function decidedAbout(account: AccountDecisions, decision: Decision, { clock, redact }: Pick<App, 'clock' | 'redact'>) {
  const { wish } = decision;
  const { rule, subject } = wish;
  const budgetId = isChange(decision) ? decision.budgetId : wish.budgetId;
  const { campaignId, campaignName, subject: label } = changedIn(account, subject, budgetId);
  return {
    customerId: subject.customerId,
    campaignId,
    campaignName: tellableName(campaignName, redact),
    accountDay: civilDateAt(clock.now(), account.timeZone),
    rule: rule.name,
    ruleVersion: rule.version,
    decidedOn: {
      subjectKind: subject.kind,
      subject: redact(label),
      numbers: wish.numbers.map((one) => mapTexts(one, redact)),
    },
  };
}

function decidedChange(
  account: AccountDecisions,
  decision: ChangeDecision,
  app: Pick<App, 'clock' | 'redact'>,
): DecidedChange & Required<Pick<NewDecision, 'decidedOn'>> {
  const { budgetId, from, to, amountSource, currency, wish } = decision;
  const { rule, alertText } = wish;
  const text = alertText && app.redact(alertText);
  return {
    ...decidedAbout(account, decision, app),
    budgetId,
    from,
    to,
    amountSource,
    currency,
    reason: app.redact(decision.reason),
    reasonWithoutAmounts: app.redact(decision.reasonWithoutAmounts),
    declared: account.declared.get(budgetId),
    floor: rule.limits.floor,
    ceiling: rule.limits.ceiling,
    alertText: rule.alert && text,
    alertSeverity: text === undefined ? undefined : rule.alert?.severity,
  };
}

async function propose(
  app: App,
  trx: StateDb,
  run: PlanningRun,
  account: AccountDecisions,
  decision: ChangeDecision,
): Promise<DecisionResult> {
  const { rule } = decision.wish;
  const nowMs = app.clock.now();
  const expiresAtMs = proposalExpiresAt(rule, account.timeZone, nowMs, app.settings.automation.approvalHours);
  const change = decidedChange(account, decision, app);
  const proposal = await insertProposal(trx, run.runId, { ...change, expiresAtMs }, nowMs);
  const result = decisionResult(account, decision, app.redact);
  if (!proposal) {
    const refusal = refused('WAITS_FOR_APPROVAL', { budgetId: decision.budgetId, proposal: null });
    await record(app, trx, run, account, { kind: 'refused', wish: decision.wish, refusal });
    return { ...result, state: 'refused', code: refusal.code, detail: refusalWords(refusal) };
  }
  await enqueueAlert(
    trx,
    await proposalAlert(app, trx, { ...proposal, reasonWithoutAmounts: change.reasonWithoutAmounts }, account),
    nowMs,
  );
  const detail = `It awaits approval until ${untilWords(proposal, account.timeZone)}: pacekeeper budgets approve ${proposal.code}.`;
  return { ...result, proposal: proposal.code, detail };
}

async function proposalAlert(
  { alerts, settings }: App,
  trx: StateDb,
  proposal: Told<Proposal>,
  { customerId, timeZone }: AccountDecisions,
): Promise<NewAlert> {
  const name = (await knownAccount(trx, customerId))?.name;
  const words = { name, locale: settings.accounts.get(customerId)?.locale };
  return alertForProposal(proposal, words, { byReply: alerts.approvers.length > 0, timeZone });
}

const beyond = ({ wish }: ChangeDecision, most: number): Refused => ({
  kind: 'refused',
  wish,
  refusal: refused('CHANGES_PER_RUN', { most }),
});

const taken = ({ wish, budgetId }: ChangeDecision): Refused => ({
  kind: 'refused',
  wish,
  refusal: refused('ALREADY_DECIDED_TODAY', { budgetId, state: null }),
});

const HOUR_MS = 3_600_000;

/**
 * Until when a person may approve what the rule proposes now, in milliseconds. What was computed for the rest of a month is no
 * amount for the next one, so that what paces ends with the account's month.
 */
export function proposalExpiresAt(
  { change }: Pick<Rule, 'change'>,
  timeZone: string,
  nowMs: number,
  hours: number,
): number {
  const expiresAtMs = nowMs + hours * HOUR_MS;
  if (change?.kind !== 'pace') return expiresAtMs;
  const nextMonth = addDays(endOfGrain('month', civilDateAt(nowMs, timeZone)), 1);
  return Math.min(expiresAtMs, startOfDayMs(nextMonth, timeZone));
}
