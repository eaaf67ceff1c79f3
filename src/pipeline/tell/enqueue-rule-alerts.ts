import { decideNotification, type Notification } from '../../alerts/decide-notification.ts';
import { silenceMatches } from '../../alerts/silence-matches.ts';
import type { App } from '../../app.ts';
import { describeAmounts } from '../../budgets/describe-change.ts';
import type { Settings } from '../../config/settings.ts';
import { subjectOf } from '../../domain/budget-change.ts';
import { civilDateAt } from '../../domain/civil-date.ts';
import type { BudgetId } from '../../domain/ids.ts';
import { outsideName } from '../../domain/outside-text.ts';
import type { Decision, Subject } from '../../rules/decide/decision.ts';
import type { Rule } from '../../rules/rule.ts';
import { type Notified, notify, recordCondition } from '../../store/alerts/alert-table.ts';
import {
  type ChangeTold,
  type ConditionRecord,
  changesTold,
  tellsToo,
  withdrawFirings,
} from '../../store/alerts/condition-table.ts';
import type { Withdrawal } from '../../store/alerts/outbox-table.ts';
import { activeSilences, type Silence } from '../../store/alerts/silence-table.ts';
import type { StateDb } from '../../store/sqlite/open-state.ts';
import { count } from '../../text/text-layout.ts';
import type { RunAccount } from '../accounts/discover-accounts.ts';
import type { AccountDecisions, Evaluation } from '../evaluate/evaluate-rules.ts';
import { conditionText } from './condition-text.ts';
import { byAccount, type Situation, situationsOf } from './rule-conditions.ts';

/** What came of the rules, and what was known of their conditions before they were evaluated. */
export interface RuleAlerts {
  readonly rules: readonly Rule[];
  readonly accounts: readonly RunAccount[];
  readonly evaluation: Evaluation;
  readonly known: ReadonlyMap<string, ConditionRecord>;
}

/**
 * Writes down which conditions of the rules are true, and puts into the outbox what people are to be told of them: that one
 * began, still is so, became worse, or is over. Each account in one transaction. To be called after the changes: what a
 * change's alert told of its subject is not told again.
 */
export async function enqueueRuleAlerts(app: App, { rules, accounts, evaluation, known }: RuleAlerts): Promise<void> {
  for (const conditions of byAccount(accounts, evaluation, known)) {
    const { account } = conditions;
    const situations = situationsOf(rules, conditions, app.redact);
    if (situations.length === 0) continue;
    await app.state.db.transaction().execute(async (trx) => {
      const nowMs = app.clock.now();
      const telling: Telling = {
        ...{ app, trx, account, nowMs, silences: await activeSilences(trx, nowMs) },
        shown: onlyShown(
          evaluation.accounts.find(({ customerId }) => customerId === account.customerId),
          app.settings,
        ),
        toldOf: await toldByChanges(trx, account, evaluation, nowMs),
      };
      for (const situation of situations) {
        if (situation.firing) await tellFiring(telling, situation);
        else await tellOver(telling, situation);
      }
    });
  }
}

/** Nobody is told any more. */
const OVER_BEFORE_TOLD: Withdrawal = { because: 'condition_over', why: 'It was over before it was told.' };

interface Telling {
  readonly app: App;
  readonly trx: StateDb;
  readonly account: RunAccount;
  readonly nowMs: number;
  readonly silences: readonly Silence[];
  /** What a rule would change of the subject, and nobody is asked. */
  readonly shown: OnlyShown;
  /** What the newest change that a rule made or proposed for the subject today told of it. */
  toldOf(rule: string, subject: Subject): ChangeTold | undefined;
}

type Firing = Extract<Situation, { readonly firing: true }>;
type Over = Extract<Situation, { readonly firing: false }>;

async function tellFiring(telling: Telling, now: Firing): Promise<void> {
  const { trx, nowMs } = telling;
  const { key: dedupeKey, rule, severity, text, record, verdict } = now;
  const before = record?.notified;
  const change = newerThan(before, telling.toldOf(rule, verdict.subject));
  const told = change ? toldBy(change, before) : before;
  const decision = decide(telling, now, told);
  const about = { dedupeKey, rule, severity, customerId: telling.account.customerId };
  if (decision.kind !== 'nothing') {
    const would = telling.shown(rule, verdict.subject);
    // Before it is cut to what a message has room for.
    const why = telling.app.redact(would?.why ?? verdict.explain());
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
    const said = await textOf(telling, now, 'resolved', now.now());
    await notify(trx, { ...about, kind: 'condition', reason: 'resolved', text: said }, nowMs);
  } else await recordCondition(trx, { ...about, text, firing: false }, nowMs);
}

function decide(
  { app, silences, account: { customerId }, nowMs }: Telling,
  { firing, severity, rule }: Situation,
  notified: Notified | undefined,
): Notification {
  const silenced = silences.some((silence) => silenceMatches(silence, { severity, customerId, rule }));
  const last = notified && {
    ...{ notifiedAtMs: Date.parse(notified.at), notifiedAs: notified.as, notifiedSeverity: notified.severity },
  };
  return decideNotification(last, { firing, severity, silenced }, nowMs, app.alerts);
}

/** What a change told counts as a notification of its subject's condition, if that is news. */
function newerThan(before: Notified | undefined, change: ChangeTold | undefined): ChangeTold | undefined {
  return change === undefined || (before !== undefined && before.at >= change.at) ? undefined : change;
}

function toldBy({ at, severity }: ChangeTold, before: Notified | undefined): Notified {
  return { at, as: before !== undefined && before.as !== 'resolved' ? 'repeat' : 'first', severity };
}

/** Names stand in it that come from rows, which hold whatever the service said. */
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

async function toldByChanges(
  trx: StateDb,
  { customerId, timeZone }: RunAccount,
  { accounts }: Evaluation,
  nowMs: number,
): Promise<Telling['toldOf']> {
  const decisions = accounts.find((one) => one.customerId === customerId)?.decisions ?? [];
  if (timeZone === undefined || !decisions.some(({ wish }) => wish.rule.alert)) return () => undefined;
  const told = await changesTold(trx, customerId, civilDateAt(nowMs, timeZone));
  if (told.length === 0) return () => undefined;
  const budgets = new Map<Subject, Set<BudgetId | undefined>>();
  for (const { wish } of decisions) {
    budgets.set(wish.subject, (budgets.get(wish.subject) ?? new Set()).add(wish.budgetId));
  }
  return (rule, subject) => told.findLast((one) => one.rule === rule && budgets.get(subject)?.has(one.budgetId));
}

/** What a rule would change of a subject in mode propose; undefined where it would change nothing, or is let do more. */
type OnlyShown = (
  rule: string,
  subject: Subject,
) =>
  | {
      /** Two lines for each budget, and one that says why nothing was changed. */
      readonly lines: readonly string[];
      /** Why, as a change says it; undefined where several budgets have reasons of their own. */
      readonly why: string | undefined;
    }
  | undefined;

/** A rule for an account wishes for a change of each of its budgets: what fits a message. */
const NAMED_MAX = 3;

type Change = Extract<Decision, { readonly kind: 'change' }>;

/** Whose mode stops at showing is told too: the rule's own may, where the settings let it do more. */
function onlyShown(account: AccountDecisions | undefined, { automation: { mode }, accounts }: Settings): OnlyShown {
  const shown = (account?.decisions ?? []).filter(
    (one): one is Change => one.kind === 'change' && one.mode === 'propose',
  );
  const locale = account && accounts.get(account.customerId)?.locale;
  const whose = mode === 'propose' ? 'mode propose' : "the rule's mode is propose";
  const linesOf = ({ wish, ...change }: Change) => {
    const { campaignId, campaignName } = wish.subject;
    const named = { ...change, campaignId, campaignName };
    return [`Suggested: ${subjectOf(named, 'with id', outsideName)}`, describeAmounts(named, locale)];
  };
  return (rule, subject) => {
    const own = shown.filter(({ wish }) => wish.rule.name === rule && wish.subject === subject);
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
