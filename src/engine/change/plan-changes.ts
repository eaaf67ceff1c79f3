import { addDays, civilDateAt, endOfGrain, startOfDayMs } from '../../domain/civil-date.ts';
import type { DecisionResult } from '../../language/results/report-result.ts';
import type { Decision } from '../../language/rules/decide/decision.ts';
import { refused } from '../../language/rules/decide/refusal.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import { flightOf } from '../../language/rules/pacing/pace.ts';
import type { Mode, Rule } from '../../language/rules/rule.ts';
import { tellableName } from '../../services/http/tellable.ts';
import { enqueueAlert } from '../../storage/records/alerts/alert-table.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import { type NewDecision, recordDecision } from '../../storage/records/budgets/decision-table.ts';
import type { Intent, NewIntent } from '../../storage/records/budgets/intent-table.ts';
import { insertProposal } from '../../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { knownAccount } from '../../storage/records/runs/account-table.ts';
import type { App } from '../app.ts';
import { planIntents } from '../budgets/carry-out.ts';
import { alertForProposal, untilWords } from '../budgets/describe-change.ts';
import type { AccountDecisions } from '../evaluate/evaluate-rules.ts';
import { changedIn, decisionResult } from '../evaluate/planned-decision.ts';
import { mapTexts } from '../redact-texts.ts';

export interface Plan {
  readonly intents: readonly Intent[];
  /** Refusals, proposals and suggestions. */
  readonly decisions: readonly DecisionResult[];
}

export const NO_PLAN: Plan = { intents: [], decisions: [] };

/** Records every decision before any change is sent, in one transaction per account. */
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
  const isFor = (decision: Decision, mode: Mode): decision is ChangeDecision =>
    isChange(decision) && decision.mode === mode && !run.dryRun;
  const planned = decided.filter((one) => isFor(one, 'apply'));
  const wanted = planned.map((decision): NewIntent => {
    const { name, version } = decision.request.rule;
    const change = decidedChange(app, account, decision);
    return { ...change, kind: 'rule', origin: 'rule', undoes: undefined, actor: `rule ${name}@${version}` };
  });
  let decisions: DecisionResult[] = [];
  const intents = await planIntents(app, run.runId, wanted, async (trx, made) => {
    decisions = [];
    const beside = decided.filter((one) => !isFor(one, 'apply'));
    const lost = planned.filter((_, index) => made[index] === undefined).map(taken);
    for (const decision of [...beside, ...lost]) {
      if (isFor(decision, 'approve')) decisions.push(await propose(app, trx, run, account, decision));
      else decisions.push(await record(app, trx, run, account, decision));
    }
  });
  return { intents: intents.filter((intent) => intent !== undefined), decisions };
}

async function record(
  app: App,
  trx: StateDb,
  { runId, dryRun }: PlanningRun,
  account: AccountDecisions,
  decision: Decision,
): Promise<DecisionResult> {
  const { redact } = app;
  const nowMs = app.clock.now();
  if (isChange(decision)) {
    const change = decidedChange(app, account, decision);
    await recordDecision(trx, runId, { ...change, kind: 'would_change', mode: decision.mode, dryRun }, nowMs);
  } else {
    const { request, refusal } = decision;
    const written: NewDecision = {
      ...decidedAbout(app, account, decision),
      kind: 'refusal',
      budgetId: request.budgetId,
      currency: account.currency,
      reason: redact(request.because),
      code: refusal.code,
      facts: mapTexts(refusal.facts, redact),
      dryRun,
    };
    await recordDecision(trx, runId, written, nowMs);
  }
  return decisionResult(account, decision, redact);
}

/** Refuses changes beyond the limit per run, increases first. Suggestions do not count. */
function holdToRun(accounts: readonly AccountDecisions[], most: number): (decision: Decision) => Decision {
  const made = accounts.flatMap(({ decisions }) => decisions.filter(isChange).filter(({ mode }) => mode !== 'propose'));
  const rank = ({ from, to }: ChangeDecision) => (to < from ? 0 : 1);
  const left = new Set<Decision>(made.toSorted((a, b) => rank(a) - rank(b)).slice(most));
  const refusal = refused('CHANGES_PER_RUN', { most });
  return (decision) => (left.has(decision) ? { kind: 'refused', request: decision.request, refusal } : decision);
}

type ChangeDecision = Extract<Decision, { readonly kind: 'change' }>;
type Refused = Exclude<Decision, ChangeDecision>;

function isChange(decision: Decision): decision is ChangeDecision {
  return decision.kind === 'change';
}

function decidedAbout({ clock, redact }: App, account: AccountDecisions, decision: Decision) {
  const { request } = decision;
  const { rule, subject } = request;
  const budgetId = isChange(decision) ? decision.budgetId : request.budgetId;
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
      numbers: request.numbers.map((one) => mapTexts(one, redact)),
    },
  };
}

function decidedChange(
  app: App,
  account: AccountDecisions,
  decision: ChangeDecision,
): DecidedChange & Pick<NewDecision, 'decidedOn'> {
  const { budgetId, from, to, amountSource, currency, request } = decision;
  const { rule, alertText } = request;
  const text = alertText && app.redact(alertText);
  return {
    ...decidedAbout(app, account, decision),
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
  const { rule } = decision.request;
  const nowMs = app.clock.now();
  const expiresAtMs = proposalExpiresAt(rule, account.timeZone, nowMs, app.settings.automation.approvalHours);
  const change = decidedChange(app, account, decision);
  const proposal = await insertProposal(trx, run.runId, { ...change, expiresAtMs }, nowMs);
  const result = decisionResult(account, decision, app.redact);
  if (!proposal) {
    const refusal = refused('WAITS_FOR_APPROVAL', { budgetId: decision.budgetId, proposal: null });
    await record(app, trx, run, account, { kind: 'refused', request: decision.request, refusal });
    return { ...result, state: 'refused', code: refusal.code, detail: refusalWords(refusal) };
  }
  const { customerId, timeZone } = account;
  const told = { ...proposal, reasonWithoutAmounts: change.reasonWithoutAmounts };
  const name = (await knownAccount(trx, customerId))?.name;
  const words = { name, locale: app.settings.accounts.get(customerId)?.locale };
  const byReply = app.alerts.approvers.length > 0;
  await enqueueAlert(trx, alertForProposal(told, words, { byReply, timeZone }), nowMs);
  const detail = `It awaits approval until ${untilWords(proposal, timeZone)}. Run pacekeeper budgets approve ${proposal.code}.`;
  return { ...result, proposal: proposal.code, detail };
}

function taken({ request, budgetId }: ChangeDecision): Refused {
  return { kind: 'refused', request, refusal: refused('ALREADY_DECIDED_TODAY', { budgetId, state: null }) };
}

const HOUR_MS = 3_600_000;

/** In milliseconds since 1970. A pacing proposal expires at the end of its month or flight at the latest. */
export function proposalExpiresAt(
  { change }: Pick<Rule, 'change'>,
  timeZone: string,
  nowMs: number,
  hours: number,
): number {
  const expiresAtMs = nowMs + hours * HOUR_MS;
  if (change?.kind !== 'pace') return expiresAtMs;
  const last = flightOf(change.pace)?.to ?? endOfGrain('month', civilDateAt(nowMs, timeZone));
  return Math.min(expiresAtMs, startOfDayMs(addDays(last, 1), timeZone));
}
