import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { packageRoot } from '../../src/config/package-root.ts';
import { checkQueryFile, type QueryFile } from '../../src/language/gaql/query-file.ts';
import { daysUntilComplete, type Rule } from '../../src/language/rules/rule.ts';
import { checkedRule } from '../rules/checked-rule.ts';

/** A rule of the comparison. */
export interface Variant {
  readonly name: string;
  readonly rule: Rule;
  /** Days until the rule sees a day. */
  readonly waitDays: number;
  readonly withHolidays?: boolean;
}

export interface Read {
  /** The path of a query of the project. */
  readonly query: string;
  readonly for: 'campaign' | 'keyword';
}

/** The defaults of the settings. */
const COMPLETE = { table: 0, conversions: 7 };

/** A rule, checked as the product checks it. The text is that of a file from its "over" on, without an alert. */
export function benchVariant(name: string, read: Read, text: string): Variant {
  const query = queryOf(read.query);
  const source = `description: A rule of the measurement.
from: ${query.name}
for: ${read.for}
${text}
alert: { text: "far from usual" }
`;
  const completeness = { settleDays: new Map<string, number>(), conversionDays: COMPLETE.conversions };
  const rule = checkedRule(name, source, query, {
    version: '0',
    completeness,
    catalogueOf: () => loadCatalogue('v25'),
  });
  return { name, rule, waitDays: daysUntilComplete(rule, COMPLETE) };
}

const known = new Map<string, QueryFile>();

function queryOf(path: string): QueryFile {
  const found = known.get(path);
  if (found !== undefined) return found;
  const source = readFileSync(new URL(path, packageRoot()), 'utf8');
  const { query, diagnostics } = checkQueryFile(basename(path, '.sql'), source, { catalogue: loadCatalogue('v25') });
  if (query === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  known.set(path, query);
  return query;
}

/** The file in `rules/` as it is shipped, from its "over" to its "alert". */
export function shippedText(name: string): string {
  const file = readFileSync(new URL(`rules/${name}.yaml`, packageRoot()), 'utf8');
  return (/^over:[\s\S]*?(?=^alert:)/m.exec(file)?.[0] ?? '').replaceAll(/^#.*\n/gm, '').trimEnd();
}
