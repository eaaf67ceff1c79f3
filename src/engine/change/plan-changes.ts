import { addDays, civilDateAt, endOfGrain, startOfDayMs } from '../../domain/civil-date.ts';
import type { PlannedDecision } from '../../domain/decision-facts.ts';
import type { Decision } from '../../language/rules/decide/decision.ts';
import { refused } from '../../language/rules/decide/refusal.ts';
import { wholePlans } from '../../language/rules/decide/whole-plans.ts';
import { flightOf } from '../../language/rules/pacing/pace.ts';
import type { Mode, Rule } from '../../language/rules/rule.ts';
import { tellableName } from '../../services/http/tellable.ts';
import { enqueueAlert } from '../../storage/records/alerts/alert-table.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import { type NewDecision, recordDecision } from '../../storage/records/budgets/decision-table.ts';
import type { Intent, NewIntent } from '../../storage/records/budgets/intent-table.ts';
import { insertProposal, type NewProposal, type Proposal } from '../../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { knownAccount } from '../../storage/records/runs/account-table.ts';
import type { App } from '../app.ts';
import { planIntents } from '../budgets/carry-out.ts';
import { alertForProposal } from '../budgets/describe-change.ts';
import type { AccountDecisions } from '../evaluate/evaluate-rules.ts';
import { changedIn, plannedDecision } from '../evaluate/planned-decision.ts';
import { mapTexts } from '../redact-texts.ts';

/** Records every decision before any change is sent, in one transaction per account. Returns the changes to send. */
export async function planChanges(
  app: App,
  runId: bigint,
  accounts: readonly AccountDecisions[],
  dryRun: boolean,
): Promise<Intent[]> {
  const heldToRun = holdToRun(accounts, app.settings.automation.changesPerRun);
  const intents: Intent[] = [];
  for (const account of accounts) intents.push(...(await planAccount(app, { runId, dryRun, heldToRun }, account)));
  return intents;
}

export function showChanges(
  { settings, redact }: Pick<App, 'settings' | 'redact'>,
  accounts: readonly AccountDecisions[],
): PlannedDecision[] {
  const heldToRun = holdToRun(accounts, settings.automation.changesPerRun);
  return accounts.flatMap((account) =>
    account.decisions.map((decision) => plannedDecision(account, heldToRun(decision), redact)),
  );
}

interface PlanningRun {
  readonly runId: bigint;
  readonly dryRun: boolean;
  readonly heldToRun: (decision: Decision) => Decision;
}

async function planAccount(app: App, run: PlanningRun, account: AccountDecisions): Promise<Intent[]> {
  const decided = account.decisions.map(run.heldToRun);
  const isFor = (decision: Decision, mode: Mode): decision is ChangeDecision =>
    isChange(decision) && decision.mode === mode && !run.dryRun;
  const planned = decided.filter((one) => isFor(one, 'apply'));
  const wanted = planned.map((decision): NewIntent => {
    const { name, version } = decision.request.rule;
    const change = decidedChange(app, account, decision);
    return { ...change, kind: 'rule', origin: 'rule', undoes: undefined, actor: `rule ${name}@${version}` };
  });
  const intents = await planIntents(app, run.runId, wanted, async (trx, made) => {
    const beside = decided.filter((one) => !isFor(one, 'apply'));
    const lost = planned.filter((_, index) => made[index] === undefined).map(taken);
    for (const decision of [...beside, ...lost]) {
      if (isFor(decision, 'approve')) await propose(app, trx, run, account, decision);
      else await record(app, trx, run, account, decision);
    }
  });
  return intents.filter((intent) => intent !== undefined);
}

async function record(
  app: App,
  trx: StateDb,
  { runId, dryRun }: PlanningRun,
  account: AccountDecisions,
  decision: Decision,
): Promise<void> {
  const decided = plannedDecision(account, decision, app.redact);
  const { accountDay, decidedOn } = decidedAbout(app, account, decision);
  const reasonWithoutAmounts = isChange(decision) ? app.redact(decision.reasonWithoutAmounts) : undefined;
  await recordDecision(
    trx,
    runId,
    { ...decided, accountDay, decidedOn, reasonWithoutAmounts, dryRun },
    app.clock.now(),
  );
}

/** Refuses changes beyond the limit per run, increases first. Suggestions do not count. */
function holdToRun(accounts: readonly AccountDecisions[], most: number): (decision: Decision) => Decision {
  const made = accounts.flatMap(({ decisions }) => decisions.filter(isChange).filter(({ mode }) => mode !== 'propose'));
  const rank = ({ from, to }: ChangeDecision) => (to < from ? 0 : 1);
  const left = new Set<Decision>(made.toSorted((a, b) => rank(a) - rank(b)).slice(most));
  const refusal = refused('CHANGES_PER_RUN', { most });
  const held = (decision: Decision): Decision =>
    left.has(decision) ? { kind: 'refused', request: decision.request, refusal } : decision;
  const whole = wholePlans(accounts.flatMap(({ decisions }) => decisions.map(held)));
  return (decision) => whole(held(decision));
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
): Promise<void> {
  const { rule } = decision.request;
  const nowMs = app.clock.now();
  const expiresAtMs = proposalExpiresAt(rule, account.timeZone, nowMs, app.settings.automation.approvalHours);
  const change = decidedChange(app, account, decision);
  const proposal = await insertWithAlert(app, trx, run.runId, { ...change, expiresAtMs }, account.timeZone);
  if (proposal) return;
  const refusal = refused('WAITS_FOR_APPROVAL', { budgetId: decision.budgetId, proposal: null });
  await record(app, trx, run, account, { kind: 'refused', request: decision.request, refusal });
}

/** A proposal and its alert, together. Undefined if the budget already has an open proposal. */
export async function insertWithAlert(
  { clock, settings, alerts }: Pick<App, 'clock' | 'settings' | 'alerts'>,
  trx: StateDb,
  runId: bigint | undefined,
  change: NewProposal,
  timeZone: string,
): Promise<Proposal | undefined> {
  const nowMs = clock.now();
  const proposal = await insertProposal(trx, runId, change, nowMs);
  if (!proposal) return undefined;
  const { customerId, reasonWithoutAmounts } = change;
  const name = (await knownAccount(trx, customerId))?.name;
  const words = { name, locale: settings.accounts.get(customerId)?.locale };
  const byReply = alerts.approvers.length > 0;
  const alert = alertForProposal({ ...proposal, reasonWithoutAmounts }, words, { byReply, timeZone });
  await enqueueAlert(trx, alert, nowMs);
  return proposal;
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
