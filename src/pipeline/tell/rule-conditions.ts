import type { App } from '../../app.ts';
import type { AlertSeverity } from '../../domain/channel.ts';
import { civilDateAt, instantText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { shortLine } from '../../domain/outside-text.ts';
import type { Redact } from '../../http/redact.ts';
import type { Verdict } from '../../rules/decide/decision.ts';
import type { Keep } from '../../rules/evaluate/ledger.ts';
import { subjectKey } from '../../rules/evaluate/subjects.ts';
import type { Rule } from '../../rules/rule.ts';
import { type ConditionRecord, endSilently } from '../../store/alerts/condition-table.ts';
import { accountsInScopeSince } from '../../store/runs/run-account-table.ts';
import type { RunAccount } from '../accounts/discover-accounts.ts';
import type { Evaluation } from '../evaluate/evaluate-rules.ts';

/** What is true of something that a rule tells people of. What is unknown, or was not looked at, is in none. */
export type Situation = {
  readonly key: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly record: ConditionRecord | undefined;
} & (
  | { readonly firing: true; readonly text: string; readonly verdict: Verdict }
  | {
      readonly firing: false;
      /** What was so when it was last looked at. */
      readonly text: string;
      /** The numbers as they are now, or why nobody looks at it any more: a line that is true now; undefined when there is none. */
      now(): string | undefined;
    }
);

/** What a person can still take in. What more fires of one rule in one account is one condition, the rest. */
const SUBJECTS_MAX = 2000;
const REST = 'rest';
const TEXT_LENGTH_MAX = 400;
const NUMBERS_LENGTH_MAX = 160;

const keyOf = (rule: string, customer: CustomerId, subject: string): string => `rule:${rule}:${customer}:${subject}`;

/** People believe that it is so, or it is. */
function isOpen({ state, notified }: ConditionRecord): boolean {
  return state === 'firing' || (notified !== undefined && notified.as !== 'resolved');
}

/** Which verdicts are wanted beside those that fire: of what fired before. There may be millions of others. */
export function keepOpen(known: ReadonlyMap<string, ConditionRecord>): Keep {
  const open = [...known.values()].filter(isOpen);
  const [keys, rules] = [new Set(open.map(({ dedupeKey }) => dedupeKey)), new Set(open.map(({ rule }) => rule))];
  return (_truth, { name }, subject) =>
    rules.has(name) && keys.has(keyOf(name, subject.customerId, subjectKey(subject)));
}

/** What came of the rules for one account, and what was known of it before. */
export interface AccountConditions {
  readonly account: RunAccount;
  /** The rules that were evaluated for it, by name. */
  readonly evaluated: ReadonlySet<string>;
  readonly verdicts: readonly Verdict[];
  readonly known: ReadonlyMap<string, ConditionRecord>;
}

/** The same, account by account. */
export function byAccount(
  accounts: readonly RunAccount[],
  evaluation: Pick<Evaluation, 'rules' | 'verdicts'>,
  known: ReadonlyMap<string, ConditionRecord>,
): AccountConditions[] {
  const parts = new Map(
    accounts.map((account) => {
      const part = { account, evaluated: new Set<string>(), verdicts: [] as Verdict[], known: new Map() };
      return [account.customerId, part];
    }),
  );
  for (const { customerId, rule, notEvaluated } of evaluation.rules) {
    if (notEvaluated === undefined) parts.get(customerId)?.evaluated.add(rule);
  }
  for (const verdict of evaluation.verdicts) parts.get(verdict.subject.customerId)?.verdicts.push(verdict);
  for (const [key, record] of known) parts.get(record.customerId)?.known.set(key, record);
  return [...parts.values()];
}

/**
 * What is true now of what the rules tell people of one account, and what is so no more; in texts without secrets, for names
 * come from rows, which hold whatever the service said.
 */
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
      return [{ ...{ key, rule: name, severity, record, text }, firing: false as const, now: ended }];
    }),
  ];
}

function firingOf(
  byKey: ReadonlyMap<string, Verdict>,
  customer: CustomerId,
  known: ReadonlyMap<string, ConditionRecord>,
  redact: Redact,
): Map<string, Situation> {
  const situations = new Map<string, Situation>();
  const rest = new Map<string, { count: number; readonly first: Situation }>();
  const taken = new Map<string, number>();
  const fired = [...byKey].filter(([, { truth }]) => truth === 'true');
  // What was told before keeps its row, so that it is not told as over while it still is so.
  const rank = ([key]: readonly [string, Verdict]) => (known.get(key)?.state === 'firing' ? 0 : 1);
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
    const more = `${count.toLocaleString('en-US')} more, for one: ${first.text}`;
    situations.set(first.key, { ...first, text: shortLine(more, TEXT_LENGTH_MAX) });
  }
  return situations;
}

function fires(key: string, verdict: Verdict, known: ReadonlyMap<string, ConditionRecord>, redact: Redact): Situation {
  const { name, alert } = verdict.rule;
  return {
    ...{ key, rule: name, severity: alert?.severity ?? 'info', record: known.get(key), firing: true, verdict },
    text: shortLine(redact(verdict.alertText() ?? ''), TEXT_LENGTH_MAX),
  };
}

type Line = () => string | undefined;

/** Why nothing will ever look at it again; undefined when something will. */
function whyNever(rule: Rule | undefined, name: string, { currency }: RunAccount): Line | undefined {
  if (rule === undefined) return () => `Why: there is no rule ${name} any more that tells people something`;
  const other = rule.currency !== undefined && currency !== undefined && rule.currency !== currency;
  return other ? () => `Why: the rule is for accounts in ${rule.currency} now` : undefined;
}

/**
 * What can be said of what is so no more; undefined when it is not known whether it is. The condition is not, for it reads as if
 * it were true, nor numbers that would have to be cut.
 */
function whyOver(verdict: Verdict | undefined, isRest: boolean, isEvaluated: boolean): Line | undefined {
  if (!isEvaluated || verdict?.truth === 'unknown') return undefined;
  if (verdict !== undefined) {
    return () => {
      const numbers = verdict.numbersText();
      return numbers === undefined || numbers.length > NUMBERS_LENGTH_MAX ? undefined : `Now: ${numbers}`;
    };
  }
  if (isRest) return () => `Why: the rule fires for ${SUBJECTS_MAX.toLocaleString('en-US')} at most now`;
  return () => 'Why: the rule does not look at it any more, or it has no rows in the days it looks at';
}

const DAY_MS = 86_400_000;
const UNSEEN_DAYS = 7;

/**
 * Ends, without a word to anybody, the conditions of accounts that no run of the last days had in its scope: what is true of
 * them nobody will know any more. While no run had any account, nothing is known of the scope.
 */
export async function endUnseenConditions(
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
  const because = `No run has looked at the account since ${civilDateAt(sinceMs, 'UTC')}.`;
  for (const { id, customerId } of elsewhere) {
    if (!seen.has(customerId)) await endSilently(db, id, because, nowMs);
  }
}
