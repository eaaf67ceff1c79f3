import { grouped } from '../domain/grouped.ts';
import { RULE_SUMMARY_COLUMNS, type RuleSummary } from '../views/decision-columns.ts';
import { terminalTable } from '../views/render/terminal.ts';
import { sheetOf } from '../views/sheet.ts';
import type { RuleResult } from './report-result.ts';
import { bullets } from './sections.ts';
import { firstOf, LINES_MAX, type NameOf, type TextLayout } from './text-layout.ts';

/** What each rule said, and what was not evaluated. */
export function rulesTable(rules: readonly RuleResult[], nameOf: NameOf, layout: TextLayout): string {
  const summaries = ruleSummaries(rules, nameOf);
  const table = summaries.length === 0 ? '' : terminalTable(sheetOf(RULE_SUMMARY_COLUMNS, summaries, 'people'), layout);
  return [table, bullets(notEvaluated(rules, nameOf), layout)].filter((block) => block !== '').join('\n');
}

/** Account by account, or all accounts together where there are many. */
export function ruleSummaries(rules: readonly RuleResult[], nameOf: NameOf): RuleSummary[] {
  const evaluated = rules.filter((one) => one.notEvaluated === undefined);
  if (evaluated.length <= LINES_MAX) return evaluated.map((one) => ({ ...one, account: nameOf(one.customerId) }));
  return grouped(evaluated, ({ rule }) => rule).map((results) => {
    const sum = (name: 'subjects' | 'fired' | 'unknown') => results.reduce((total, one) => total + one[name], 0);
    return {
      rule: results[0]?.rule ?? '',
      account: results.length,
      subjects: sum('subjects'),
      fired: sum('fired'),
      unknown: sum('unknown'),
    };
  });
}

/** Accounts that a rule leaves alone for the same reason share a sentence. */
export function notEvaluated(rules: readonly RuleResult[], nameOf: NameOf): string[] {
  const left = rules.filter((one) => one.notEvaluated !== undefined);
  return grouped(left, ({ rule, notEvaluated: why }) => `${rule}\n${why}`).map((group) => {
    const [first] = group;
    const names = firstOf(
      group.map(({ customerId }) => nameOf(customerId)),
      LINES_MAX,
    );
    // What a rule is not meant for is no trouble of it: "for EUR only".
    return first?.isOfOtherCurrency === true
      ? `${first.rule} is ${first.notEvaluated} and leaves alone: ${names}`
      : `${first?.rule} not evaluated: ${first?.notEvaluated}: ${names}`;
  });
}
