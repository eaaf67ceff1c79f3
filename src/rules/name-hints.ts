import { MICROS } from '../gaql/check/column.ts';
import { didYouMean } from '../gaql/check/suggest.ts';
import type { Scope } from './checking.ts';
import { isSummable, partsHint } from './metric-nature.ts';
import { usableNames } from './rule-names.ts';

/** What people call figures that are computed here. */
const COMPUTED: ReadonlyMap<string, string> = new Map([
  ['cpa', 'Write cost / conversions.'],
  ['cpc', 'Write cost / clicks, or average_cpc.'],
  ['cpm', 'Write 1000 * cost / impressions.'],
  ['roas', 'Write conversions_value / cost.'],
  ['cvr', 'Write conversions / clicks.'],
  ['spend', 'Write cost.'],
  ['spent', 'Write cost.'],
]);

/** What to do about a name that the table does not have; `besideText` says that it is compared with text. */
export function unknownNameHint(name: string, scope: Scope, besideText: boolean): string {
  const names = usableNames(scope.names);
  return (
    unselectedHint(name, scope) ??
    (scope.place === 'values' ? COMPUTED.get(name.toLowerCase()) : undefined) ??
    (besideText ? `Text belongs in quotes: '${name}'.` : undefined) ??
    didYouMean(name, names) ??
    wordHint(name) ??
    `Names are ${names.join(', ')}.`
  );
}

function wordHint(name: string): string | undefined {
  if (/^(true|false)$/i.test(name)) return 'Write 1 for true and 0 for false.';
  return /^[A-Z][A-Z_]*$/.test(name) ? `Text belongs in quotes: '${name}'.` : undefined;
}

/** The service has it, and the query does not ask for it. */
function unselectedHint(name: string, { fields, place, data }: Scope): string | undefined {
  const field = fields?.selectable(name);
  if (field === undefined || field.role === 'segment') return undefined;
  if (field.role === 'attribute') return `Add ${field.name} to queries/${data.table}.sql.`;
  if (place === 'where') return undefined;
  const isSum = isSummable({ field: field.name, type: field.type });
  return isSum || field.name.endsWith(MICROS)
    ? `Add ${field.name} to queries/${data.table}.sql.`
    : partsHint({ field: field.name });
}
