import { minuteText } from '../domain/civil-date.ts';
import { frozenLines, modeWords } from '../domain/frozen.ts';
import { listed } from '../domain/wording.ts';
import type { RulesRead } from '../language/results/report-result.ts';
import type { RuleDescription } from '../language/rules/file/describe-rule.ts';
import { ACCOUNT_COLUMNS, RULE_RESULT_COLUMNS, RULE_SUMMARY_COLUMNS } from './decision-columns.ts';
import { memberPart, part, sentences } from './kit/listing.ts';
import { notEvaluated, ruleSummaries } from './report/render-decisions.ts';
import { namesOf } from './text/text-layout.ts';

export const ACCOUNTS = memberPart('accounts', { only: ['json'], title: 'Accounts', columns: ACCOUNT_COLUMNS });

export const RULES = memberPart('rules', { only: ['json'], title: 'Rules', columns: RULE_RESULT_COLUMNS });

/** Before the first read, there are no rows, because zeros would look like results. */
export const RULES_SAID = part({
  only: ['people'],
  title: 'Rules',
  columns: RULE_SUMMARY_COLUMNS,
  rows: ({ rules, accounts, unread }: RulesRead) => (unread ? [] : ruleSummaries(rules, namesOf(accounts))),
});

export const NOT_EVALUATED = sentences('Not evaluated', ({ rules, accounts, unread }: RulesRead) =>
  unread ? [] : notEvaluated(rules, namesOf(accounts)),
);

export const NOTES = sentences('Notes', ({ notes }: { readonly notes: readonly string[] }) => notes);

export const FAILED = sentences('Failed', ({ failures }: { readonly failures: readonly string[] }) => failures, {
  serious: true,
});

export function headOf(command: string, { target, mode, frozen, evaluatedAt }: RulesRead & { readonly mode: string }) {
  return [`pacekeeper ${command} · ${minuteText(evaluatedAt)} · ${target} · mode ${modeWords(mode, frozen)}`];
}

export function membersOf({ target, evaluatedAt, frozen, notes, failures }: RulesRead) {
  return { target, evaluated_at: evaluatedAt, notes: [...frozenLines(frozen), ...notes], failures };
}

/** The parts of the file that the rule has, in their order. */
export function writtenParts(rule: RuleDescription): [name: string, words: string][] {
  const {
    from: reads,
    accounts,
    where,
    over,
    when,
    lasting,
    conversionWindow,
    change,
    pace,
    limits,
    includes,
    alert,
  } = rule;
  const days = conversionWindow && `complete for conversions after ${conversionWindow}`;
  const of = accounts && listed(accounts);
  const parts = { reads, accounts: of, where, over, when, lasting, days, change, pace, limits, includes, alert };
  return Object.entries(parts).flatMap(([name, words]) => (words === undefined ? [] : [[name, words]]));
}
