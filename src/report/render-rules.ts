import { grouped } from '../domain/grouped.ts';
import type { RuleResult } from './report-result.ts';
import { firstOf, LINES_MAX, type NameOf, type TextLayout } from './text-layout.ts';
import { type TableColumn, textTable } from './text-table.ts';
import { wrapText } from './wrap-text.ts';

/** What each rule said of each account, or of all accounts together where there are many. */
export function rulesTable(rules: readonly RuleResult[], nameOf: NameOf, { width }: TextLayout): string {
  const evaluated = rules.filter(({ notEvaluated }) => notEvaluated === undefined);
  const many = evaluated.length > LINES_MAX;
  const columns: TableColumn[] = [
    { title: 'Rule', align: 'left', flexible: true },
    many ? { title: 'Accounts', align: 'right' } : { title: 'Account', align: 'left', flexible: true },
    { title: 'Looked at', align: 'right' },
    { title: 'Fired', align: 'right' },
    { title: 'Unknown', align: 'right' },
  ];
  const lines = many ? grouped(evaluated, ({ rule }) => rule) : evaluated.map((one) => [one]);
  const rows = lines.map((line) => {
    const sum = (name: 'subjects' | 'fired' | 'unknown') =>
      line.reduce((total, one) => total + one[name], 0).toLocaleString('en-US');
    const [first] = line;
    const account = many ? line.length.toLocaleString('en-US') : first ? nameOf(first.customerId) : '';
    return [first?.rule ?? '', account, sum('subjects'), sum('fired'), sum('unknown')];
  });
  const table = rows.length === 0 ? [] : [textTable(columns, rows, width)];
  return [...table, ...notEvaluatedLines(rules, nameOf, width)].join('\n');
}

/** A rule that leaves accounts alone is named once; accounts that it leaves alone for the same reason share a line. */
export function notEvaluatedLines(rules: readonly RuleResult[], nameOf: NameOf, width: number): string[] {
  const accountsOf = (group: readonly RuleResult[]) =>
    firstOf(
      group.map(({ customerId }) => nameOf(customerId)),
      LINES_MAX,
    );
  const left = rules.filter(({ notEvaluated }) => notEvaluated !== undefined);
  return grouped(left, ({ rule }) => rule).flatMap((ofRule) => {
    const rule = ofRule[0]?.rule;
    const groups = grouped(ofRule, ({ notEvaluated }) => notEvaluated ?? '');
    const foreign = groups.filter(isForeign);
    const unable = groups.filter((group) => !isForeign(group));
    return [
      ...foreign.map((group) =>
        wrapText(`${rule} is ${group[0]?.notEvaluated} and leaves alone: ${accountsOf(group)}`, width, '', '  '),
      ),
      ...(unable.length === 0 ? [] : [`${rule} not evaluated`]),
      ...unable.map((group) => wrapText(`${group[0]?.notEvaluated}: ${accountsOf(group)}`, width, '  ', '    ')),
    ];
  });
}

/** What a rule is not meant for is no trouble of it: "for EUR only". */
function isForeign([first]: readonly RuleResult[]): boolean {
  return first?.isOfOtherCurrency === true;
}
