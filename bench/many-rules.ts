import { readFileSync } from 'node:fs';
import { loadCatalogue } from '../src/config/load-catalogue.ts';
import { checkQueryFile, type QueryFile } from '../src/gaql/query-file.ts';
import { checkRuleFile } from '../src/rules/file/rule-file.ts';
import type { Rule } from '../src/rules/rule.ts';
import { QUERY_FILE } from './bench-query.ts';

export const RULES = 200;
/** So many days are in the table, and the longest window has them all. */
export const DAYS = 90;

/** The product's own query of keyword statistics, asking for the last days. */
export function quarterQuery(days = DAYS): QueryFile {
  const source = readFileSync(QUERY_FILE, 'utf8').replace(
    'DURING LAST_30_DAYS',
    `BETWEEN :today-${days} AND :yesterday`,
  );
  const { query, diagnostics } = checkQueryFile('keyword_stats', source, { catalogue: loadCatalogue('v25') });
  if (query === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return query;
}

/** What people write: sums of a week against the week before, of the month, of the quarter, of the same weekday. */
const KINDS: readonly ((step: number) => string)[] = [
  (step) => `for: campaign
over: 7 days
when: clicks >= ${30 + step} AND cost / clicks > 2.50 AND cost > 1.2 * cost over previous 7 days
change: decrease budget by 15%`,
  (step) => `for: campaign
where: campaign_name NOT LIKE 'Test%'
over: ${7 + (step % 8)} days
when: clicks >= 100 AND cost / clicks < 1.${10 + (step % 80)} AND cost >= 0.9 * 7 * budget
change: increase budget by 10%`,
  (step) => `for: campaign
over: month to date
when: cost > ${step} * budget OR ctr < 0.00${10 + (step % 80)}
change: decrease budget by ${5 + (step % 20)}`,
  (step) => `for: campaign
over: ${DAYS} days
when: cost / ${DAYS} < 0.${10 + (step % 80)} * budget AND clicks over 30 days > ${step}
change: set budget to cost / ${DAYS} * 1.1`,
  (step) => `for: campaign
over: yesterday
when: >-
  mean(clicks) same weekday over 4 weeks >= ${20 + step} AND clicks NOT BETWEEN
  mean(clicks) same weekday over 4 weeks - 3 * deviation(clicks) same weekday over 4 weeks AND
  mean(clicks) same weekday over 4 weeks + 3 * deviation(clicks) same weekday over 4 weeks
alert: { severity: warning, text: "{campaign_name}: {clicks} clicks yesterday" }`,
  (step) => `for: campaign
over: yesterday
when: coalesce(cost, 0) = 0 AND clicks over previous 7 days >= ${20 + step}
alert: { severity: critical, text: "{campaign_name} cost nothing yesterday" }`,
  (step) => `for: budget
over: 14 days
when: cost > 14 * budget * 0.${10 + (step % 80)} AND average_cpc > 2
change: increase budget by 5%`,
  (step) => `for: account
over: 30 days
when: cost > ${step}000 AND cost > 1.1 * cost over previous 30 days
alert: { severity: info, text: "{cost} in 30 days" }`,
];

/** {@link RULES} rules, no two alike, checked as the product checks them. */
export function manyRules(query: QueryFile): Rule[] {
  return Array.from({ length: RULES }, (_, index) => {
    const written = KINDS[index % KINDS.length]?.(Math.floor(index / KINDS.length)) ?? '';
    const source = `description: A rule of the benchmark.\nfrom: ${query.name}\n${written}\ncurrency: EUR\n`;
    const context = { version: String(index) };
    const { rule, diagnostics } = checkRuleFile(
      `rule-${index}`,
      source,
      new Map([[query.name, query]]),
      new Set(),
      context,
    );
    if (rule === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    return rule;
  });
}
