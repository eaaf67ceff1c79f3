import type { CivilDate } from '../domain/civil-date.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { planRule } from '../rules/evaluate/plan-rule.ts';
import type { Rule } from '../rules/rule.ts';
import { SANDBOX_CATALOGUE } from '../sandbox/ads/fields.ts';
import { METRICS } from '../sandbox/ads/render-rows.ts';
import { fieldOf } from './simulated-table.ts';

/** What simulated days can be told of. */
const RESOURCES: readonly string[] = ['keyword_view', 'campaign', 'customer'];

/** Why the rule has no part in the simulation, in words that may follow a colon; undefined where it has. */
export function whyLeftOut(
  rule: Rule,
  query: QueryFile | undefined,
  currency: string,
  today: CivilDate,
): string | undefined {
  if (rule.currency !== undefined && rule.currency !== currency) {
    return `it is for accounts in ${rule.currency}, and this one is in ${currency}`;
  }
  if (query === undefined) return `its table ${rule.from} is not filled by a query`;
  if (!RESOURCES.includes(query.resource)) return `${rule.from} is read FROM ${query.resource}, which is not simulated`;
  const { metrics, attributes } = planRule(rule, { today, lastSettled: today, settled: () => true });
  const read = [...metrics.map(({ column }) => column), ...attributes].map((column) => fieldOf(query, column));
  const asked = query.tree.where.map(({ field }) => field.name).filter((field) => field !== 'segments.date');
  const missing = [...new Set([...read, ...asked])].filter((field) => !isSimulated(field));
  if (missing.length === 0) return undefined;
  return `the simulation has no values for ${missing.join(', ')}`;
}

function isSimulated(field: string): boolean {
  return field.startsWith('metrics.') ? METRICS.includes(field) : SANDBOX_CATALOGUE.fields.has(field);
}

/** Whether the rule looks at a day that is not over. */
export function looksAtToday(rule: Rule, today: CivilDate): boolean {
  const { windows } = planRule(rule, { today, lastSettled: today, settled: () => true });
  return [...windows.values()].some(({ window }) => window.kind === 'today');
}
