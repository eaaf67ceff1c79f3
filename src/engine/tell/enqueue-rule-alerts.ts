import { silenceMatches } from '../../alerts/silence-matches.ts';
import type { Settings } from '../../config/settings.ts';
import { subjectOf } from '../../domain/budget-change.ts';
import type { AlertSeverity } from '../../domain/channel.ts';
import { civilDateAt, instantText } from '../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { outsideName, shortLine } from '../../domain/outside-text.ts';
import type { Decision, Subject, Verdict } from '../../language/rules/decide/decision.ts';
import { decideNotification, type Notification } from '../../language/rules/decide-notification.ts';
import type { Keep } from '../../language/rules/evaluate/ledger.ts';
import { subjectKey } from '../../language/rules/evaluate/subjects.ts';
import type { Rule } from '../../language/rules/rule.ts';
import type { Redact } from '../../services/http/redact.ts';
import { isAcknowledged, type Notified, notify, recordCondition } from '../../storage/records/alerts/alert-table.ts';
import {
  type ChangeAlert,
  type ConditionRecord,
  changeAlerts,
  endSilently,
  tellsToo,
  withdrawFirings,
} from '../../storage/records/alerts/condition-table.ts';
import type { Withdrawal } from '../../storage/records/alerts/outbox-table.ts';
import { activeSilences, type Silence } from '../../storage/records/alerts/silence-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { accountsInScopeSince } from '../../storage/records/runs/run-account-table.ts';
import { count } from '../../views/text/text-layout.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { describeAmounts } from '../budgets/describe-change.ts';
import type { AccountDecisions, Evaluation } from '../evaluate/evaluate-rules.ts';
import { conditionText, lastNotification } from './condition-text.ts';

export interface VerdictTexts extends Pick<Verdict, 'rule' | 'subject' | 'truth' | 'pace'> {
  readonly alertText: string | undefined;
  /** Undefined unless the condition fires. */
  readonly why: string | undefined;
  /** Undefined unless the condition no longer fires, and if it has an unknown number or no number. */
  readonly numbers: string | undefined;
}

export function textsOf(verdict: Verdict): VerdictTexts {
  const { rule, subject, truth, pace } = verdict;
  const texts = { rule, subject, truth, pace, alertText: verdict.alertText(), why: undefined, numbers: undefined };
  if (rule.alert === undefined) return texts;
  if (truth === 'true') return { ...texts, why: verdict.explain() };
  return { ...texts, numbers: verdict.numbersText() };
}

export interface RulesSaid extends Evaluation<VerdictTexts> {
  readonly known: ReadonlyMap<string, ConditionRecord>;
}

/** Call this after the changes, because an alert about a change also reports the condition. */
export async function enqueueRuleAlerts(
  app: App,
  rules: readonly Rule[],
  accounts: readonly RunAccount[],
  said: RulesSaid,
): Promise<void> {
  for (const conditions of byAccount(accounts, said, said.known)) {
    const { account } = conditions;
    const situations = situationsOf(rules, conditions, app.redact);
    if (situations.length === 0) continue;
    const decided = said.accounts.find(({ customerId }) => customerId === account.customerId);
    await app.state.db.transaction().execute(async (trx) => {
      const nowMs = app.clock.now();
      const telling: Telling = {
        app,
        trx,
        account,
        nowMs,
        silences: await activeSilences(trx, nowMs),
        shown: onlyShown(decided, app.settings),
        toldOf: await notifiedByChanges(trx, account, decided, nowMs),
      };
      for (const situation of situations) {
        if (situation.firing) await tellFiring(telling, situation);
        else await tellOver(telling, situation);
      }
    });
  }
  await endUnseenConditions(app, accounts, said.known);
}

const OVER_BEFORE_TOLD: Withdrawal = { because: 'condition_over', why: 'It was resolved before it was reported.' };

interface Telling {
  readonly app: App;
  readonly trx: StateDb;
  readonly account: RunAccount;
  readonly nowMs: number;
  readonly silences: readonly Silence[];
  /** Changes that the mode only suggests. */
  readonly shown: OnlyShown;
  toldOf(rule: string, subject: Subject): ChangeAlert | undefined;
}

type Firing = Extract<Situation, { readonly firing: true }>;
type Over = Extract<Situation, { readonly firing: false }>;

async function tellFiring(telling: Telling, now: Firing): Promise<void> {
  const { trx, nowMs } = telling;
  const { key: dedupeKey, rule, severity, text, record, verdict } = now;
  const before = record?.notified;
  const change = newerThan(before, telling.toldOf(rule, verdict.subject));
  const told = change ? notifiedBy(change, before) : before;
  const decision = decide(telling, now, told);
  const about = { dedupeKey, rule, severity, customerId: telling.account.customerId };
  if (decision.kind !== 'nothing') {
    const would = telling.shown(rule, verdict.subject);
    // Redacts before cutting, because half a secret would not be recognised.
    const why = telling.app.redact(would?.why ?? verdict.why ?? '');
    const said = await textOf(telling, now, decision.kind, why, would?.lines);
    await notify(trx, { ...about, kind: 'condition', reason: decision.kind, text: said }, nowMs);
  }
  const same = record?.state === 'firing' && record.text === text && record.severity === severity;
  if (!same || decision.kind !== 'nothing') await recordCondition(trx, { ...about, text, firing: true }, nowMs);
  if (change && told && decision.kind === 'nothing') await tellsToo(trx, change.alertId, dedupeKey, told, nowMs);
}

async function tellOver(telling: Telling, now: Over): Promise<void> {
  const { trx, nowMs } = telling;
  const { key: dedupeKey, rule, severity, text, record } = now;
  if (record === undefined) return;
  const believed = record.notified !== undefined && record.notified.as !== 'resolved';
  const told = believed ? await withdrawFirings(trx, record.id, OVER_BEFORE_TOLD, nowMs) : undefined;
  const decision = decide(telling, now, told);
  const about = { dedupeKey, rule, severity, customerId: telling.account.customerId };
  if (decision.kind === 'resolved') {
    const said = await textOf(telling, now, 'resolved', now.now);
    await notify(trx, { ...about, kind: 'condition', reason: 'resolved', text: said }, nowMs);
  } else await recordCondition(trx, { ...about, text, firing: false }, nowMs);
}

function decide(
  { app, silences, account: { customerId }, nowMs }: Telling,
  { firing, severity, rule, record }: Situation,
  notified: Notified | undefined,
): Notification {
  const silenced = silences.some((silence) => silenceMatches(silence, { severity, customerId, rule }));
  const last = notified && lastNotification(notified, record?.firedAt);
  const acknowledged = record !== undefined && isAcknowledged(record, notified) ? record.severity : undefined;
  return decideNotification(last, { firing, severity, silenced, acknowledged }, nowMs, app.alerts);
}

/** A newer alert about a change also counts as an alert about the condition. */
function newerThan(before: Notified | undefined, change: ChangeAlert | undefined): ChangeAlert | undefined {
  return change === undefined || (before !== undefined && before.at >= change.at) ? undefined : change;
}

function notifiedBy({ at, severity }: ChangeAlert, before: Notified | undefined): Notified {
  return { at, as: before !== undefined && before.as !== 'resolved' ? 'repeat' : 'first', severity };
}

/** The text is redacted, because it contains names from the service. */
async function textOf(
  { app, trx, account, nowMs }: Telling,
  { rule, severity, text, record }: Situation,
  kind: Exclude<Notification['kind'], 'nothing'>,
  why: string | undefined,
  would: readonly string[] = [],
): Promise<string> {
  const conditionId = record?.state === 'firing' ? record.id : undefined;
  const facts = { kind, rule, severity, text, why, would, since: record?.firedAt, conditionId };
  return app.redact(await conditionText(trx, account, facts, nowMs));
}

async function notifiedByChanges(
  trx: StateDb,
  { customerId, timeZone }: RunAccount,
  decided: AccountDecisions | undefined,
  nowMs: number,
): Promise<Telling['toldOf']> {
  const decisions = decided?.decisions ?? [];
  if (timeZone === undefined || !decisions.some(({ request }) => request.rule.alert)) return () => undefined;
  const told = await changeAlerts(trx, customerId, civilDateAt(nowMs, timeZone));
  if (told.length === 0) return () => undefined;
  const budgets = new Map<Subject, Set<BudgetId | undefined>>();
  for (const { request } of decisions) {
    budgets.set(request.subject, (budgets.get(request.subject) ?? new Set()).add(request.budgetId));
  }
  return (rule, subject) => told.findLast((one) => one.rule === rule && budgets.get(subject)?.has(one.budgetId));
}

/** Undefined if the rule suggests no change. */
type OnlyShown = (
  rule: string,
  subject: Subject,
) =>
  | {
      readonly lines: readonly string[];
      /** Undefined for several budgets, because their reasons can differ. */
      readonly why: string | undefined;
    }
  | undefined;

const NAMED_MAX = 3;

type Change = Extract<Decision, { readonly kind: 'change' }>;

/** The last line says which mode prevented the change: that of the settings or of the rule. A rule can be stricter. */
function onlyShown(account: AccountDecisions | undefined, { automation: { mode }, accounts }: Settings): OnlyShown {
  const shown = (account?.decisions ?? []).filter(
    (one): one is Change => one.kind === 'change' && one.mode === 'propose',
  );
  const locale = account && accounts.get(account.customerId)?.locale;
  const whose = mode === 'propose' ? 'mode propose' : "the rule's mode is propose";
  const linesOf = ({ request, ...change }: Change) => {
    const { campaignId, campaignName } = request.subject;
    const named = { ...change, campaignId, campaignName };
    return [`Suggested: ${subjectOf(named, 'with id', outsideName)}`, describeAmounts(named, locale)];
  };
  return (rule, subject) => {
    const own = shown.filter(({ request }) => request.rule.name === rule && request.subject === subject);
    const [first] = own;
    if (first === undefined) return undefined;
    const rest = own.length - NAMED_MAX;
    const lines = [
      ...own.slice(0, NAMED_MAX).flatMap(linesOf),
      ...(rest > 0 ? [`and ${count(rest, 'more budget')}`] : []),
      `Nothing was changed: ${whose}`,
    ];
    return { lines, why: own.length === 1 ? first.reasonWithoutAmounts : undefined };
  };
}

export type Situation = {
  readonly key: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly record: ConditionRecord | undefined;
} & (
  | { readonly firing: true; readonly text: string; readonly verdict: VerdictTexts }
  | {
      readonly firing: false;
      /** The text from the last time that the condition fired. */
      readonly text: string;
      /** The current numbers, or the reason why the rule no longer covers the subject. */
      readonly now: string | undefined;
    }
);

/** Maximum per rule and account. All further subjects share one condition, {@link REST}. */
const SUBJECTS_MAX = 2000;
const REST = 'rest';
const TEXT_LENGTH_MAX = 400;
const NUMBERS_LENGTH_MAX = 160;

export const keyOf = (rule: string, customer: CustomerId, subject: string): string =>
  `rule:${rule}:${customer}:${subject}`;

/** True if the condition fires, or if only the start of the condition was reported. */
function isOpen({ state, notified }: ConditionRecord): boolean {
  return state === 'firing' || (notified !== undefined && notified.as !== 'resolved');
}

/** Keeps only verdicts of open conditions, because all verdicts could need too much memory. */
export function keepOpen(known: readonly ConditionRecord[]): Keep {
  const open = known.filter(isOpen);
  const keys = new Set(open.map(({ dedupeKey }) => dedupeKey));
  const rules = new Set(open.map(({ rule }) => rule));
  return (_truth, { name }, subject) =>
    rules.has(name) && keys.has(keyOf(name, subject.customerId, subjectKey(subject)));
}

export interface AccountConditions {
  readonly account: RunAccount;
  readonly evaluated: ReadonlySet<string>;
  readonly verdicts: readonly VerdictTexts[];
  readonly known: ReadonlyMap<string, ConditionRecord>;
}

export function byAccount(
  accounts: readonly RunAccount[],
  evaluation: Pick<Evaluation<VerdictTexts>, 'rules' | 'verdicts'>,
  known: ReadonlyMap<string, ConditionRecord>,
): AccountConditions[] {
  const evaluated = evaluation.rules.filter(({ notEvaluated }) => notEvaluated === undefined);
  const rulesOf = Map.groupBy(evaluated, ({ customerId }) => customerId);
  const verdictsOf = Map.groupBy(evaluation.verdicts, ({ subject }) => subject.customerId);
  const knownOf = Map.groupBy(known, ([, record]) => record.customerId);
  // The list contains an account twice if it is below two failed roots.
  const each = new Map(accounts.map((account) => [account.customerId, account]));
  return [...each.values()].map((account) => ({
    account,
    evaluated: new Set(rulesOf.get(account.customerId)?.map(({ rule }) => rule)),
    verdicts: verdictsOf.get(account.customerId) ?? [],
    known: new Map(knownOf.get(account.customerId)),
  }));
}

export function situationsOf(rules: readonly Rule[], conditions: AccountConditions, redact: Redact): Situation[] {
  const { account, evaluated, known } = conditions;
  const { customerId } = account;
  const alerting = new Map(rules.flatMap((rule) => (rule.alert === undefined ? [] : [[rule.name, rule]])));
  const verdicts = conditions.verdicts.filter(({ rule }) => alerting.has(rule.name));
  const byKey = new Map(verdicts.map((one) => [keyOf(one.rule.name, customerId, subjectKey(one.subject)), one]));
  const firing = firingOf(byKey, customerId, known, redact);
  const over = [...known.values()].filter((one) => isOpen(one) && !firing.has(one.dedupeKey));
  return [
    ...firing.values(),
    ...over.flatMap((record) => {
      const { dedupeKey: key, rule: name, severity, text } = record;
      const ended =
        whyNever(alerting.get(name), name, account) ??
        whyOver(byKey.get(key), key === keyOf(name, customerId, REST), evaluated.has(name));
      if (ended === undefined) return [];
      return [{ key, rule: name, severity, record, text, firing: false as const, now: ended.line }];
    }),
  ];
}

function firingOf(
  byKey: ReadonlyMap<string, VerdictTexts>,
  customer: CustomerId,
  known: ReadonlyMap<string, ConditionRecord>,
  redact: Redact,
): Map<string, Situation> {
  const situations = new Map<string, Situation>();
  const rest = new Map<string, { count: number; readonly first: Situation }>();
  const taken = new Map<string, number>();
  const fired = [...byKey].filter(([, { truth }]) => truth === 'true');
  // Conditions that already fire take precedence. Beyond the maximum, they would be reported as resolved.
  const rank = ([key]: readonly [string, VerdictTexts]) => (known.get(key)?.state === 'firing' ? 0 : 1);
  for (const [key, verdict] of fired.toSorted((a, b) => rank(a) - rank(b))) {
    const { name } = verdict.rule;
    const count = taken.get(name) ?? 0;
    taken.set(name, count + 1);
    if (count < SUBJECTS_MAX) situations.set(key, fires(key, verdict, known, redact));
    else {
      const key = keyOf(name, customer, REST);
      const restOfRule = rest.get(name) ?? { count: 0, first: fires(key, verdict, known, redact) };
      rest.set(name, { ...restOfRule, count: restOfRule.count + 1 });
    }
  }
  for (const { count, first } of rest.values()) {
    const more = `${count.toLocaleString('en-US')} more, for example: ${first.text}`;
    situations.set(first.key, { ...first, text: shortLine(more, TEXT_LENGTH_MAX) });
  }
  return situations;
}

function fires(
  key: string,
  verdict: VerdictTexts,
  known: ReadonlyMap<string, ConditionRecord>,
  redact: Redact,
): Situation {
  const { name, alert } = verdict.rule;
  return {
    key,
    rule: name,
    severity: alert?.severity ?? 'info',
    record: known.get(key),
    firing: true,
    verdict,
    text: shortLine(redact(verdict.alertText ?? ''), TEXT_LENGTH_MAX),
  };
}

interface Ended {
  readonly line: string | undefined;
}

function whyNever(rule: Rule | undefined, name: string, { currency }: RunAccount): Ended | undefined {
  if (rule === undefined) return { line: `Why: the rule ${name} was removed or no longer alerts` };
  const other = rule.currency !== undefined && currency !== undefined && rule.currency !== currency;
  return other ? { line: `Why: the rule now covers only accounts in ${rule.currency}` } : undefined;
}

/** Returns undefined if it is unknown whether the condition has ended. */
function whyOver(verdict: VerdictTexts | undefined, isRest: boolean, isEvaluated: boolean): Ended | undefined {
  if (!isEvaluated || verdict?.truth === 'unknown') return undefined;
  if (verdict !== undefined) {
    const { numbers } = verdict;
    const isShort = numbers !== undefined && numbers.length <= NUMBERS_LENGTH_MAX;
    return { line: isShort ? `Now: ${numbers}` : undefined };
  }
  const most = SUBJECTS_MAX.toLocaleString('en-US');
  if (isRest) return { line: `Why: the rule now fires for ${most} subjects at most` };
  return { line: 'Why: the rule no longer covers it, or it has no rows in these days' };
}

const DAY_MS = 86_400_000;
const UNSEEN_DAYS = 7;

/** Ends conditions of accounts that no run has found for {@link UNSEEN_DAYS} days. Sends no alert. */
async function endUnseenConditions(
  { state: { db }, clock }: Pick<App, 'state' | 'clock'>,
  accounts: readonly RunAccount[],
  known: ReadonlyMap<string, ConditionRecord>,
): Promise<void> {
  const here = new Set(accounts.map(({ customerId }) => customerId));
  const elsewhere = [...known.values()].filter((one) => isOpen(one) && !here.has(one.customerId));
  if (elsewhere.length === 0) return;
  const nowMs = clock.now();
  const sinceMs = nowMs - UNSEEN_DAYS * DAY_MS;
  const seen = await accountsInScopeSince(db, instantText(sinceMs));
  if (seen.size === 0) return;
  const because = `No run has checked the account since ${civilDateAt(sinceMs, 'UTC')} UTC.`;
  for (const { id, customerId } of elsewhere) {
    if (!seen.has(customerId)) await endSilently(db, id, because, nowMs);
  }
}
