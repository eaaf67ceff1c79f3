import * as z from 'zod';
import { addDays } from '../../domain/civil-date.ts';
import { type Diagnostic, finding } from '../../domain/diagnostic.ts';
import { listed } from '../../domain/wording.ts';
import { didYouMean } from '../gaql/check/suggest.ts';
import { readYaml, type YamlPlaces } from '../yaml/read-yaml.ts';
import { nonEmptyText, scalar, wholeNumber } from '../yaml/scalars.ts';
import { type DataTest, TEST_SEVERITIES } from './data-test.ts';
import { DATE, earliest, KINDS, type KindName, literal, quoted, type Source } from './kinds.ts';

const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];
const NAME_LENGTH_MAX = 60;

const testName = scalar('a name of lower-case letters, digits and underscores', (text) =>
  /^[a-z][a-z0-9_]{0,59}$/.test(text) ? text : undefined,
);

const entry = z.strictObject({
  name: testName.optional().meta({ description: 'Default: the kind and its columns.' }),
  severity: z.enum(TEST_SEVERITIES).default('error').meta({
    description: 'error stops the rules and targets that read the table. warn only tells.',
  }),
  days: wholeNumber(1, 3660).optional().meta({ description: 'Tests only so many complete days. Default: all rows.' }),
  ...Object.fromEntries(KIND_NAMES.map((kind) => [kind, KINDS[kind].schema.optional()])),
});

export const dataTestSchema = z.strictObject({
  tests: z.array(entry).min(1, { error: 'at least one test' }).meta({ description: 'Each has one kind as a key.' }),
  description: nonEmptyText.optional(),
});

/** A table with the columns that a test can read. */
export interface TestableTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string }[];
}

/** A test, and the place of its SQL or of its kind. */
export interface PlacedTest extends DataTest {
  readonly span: Diagnostic['span'];
}

/** `table` is the file's name. `broken` names queries and models whose errors are already reported. */
export function checkDataTestFile(
  table: string,
  source: string,
  tables: ReadonlyMap<string, TestableTable>,
  broken: ReadonlySet<string>,
): { readonly tests: readonly PlacedTest[]; readonly diagnostics: readonly Diagnostic[] } {
  const reading = readYaml(source, dataTestSchema);
  if (reading.kind === 'refused') return { tests: [], diagnostics: reading.diagnostics };
  const { value, places } = reading;
  const own = tables.get(table);
  if (own === undefined) {
    if (broken.has(table)) return { tests: [], diagnostics: [] };
    const message = `No query or model gives a table "${table}", which the file's name says.`;
    const hint = didYouMean(table, tables.keys()) ?? 'Name the file like its query or model: NAME.tests.yaml.';
    return { tests: [], diagnostics: [finding('UNKNOWN_TABLE', places.spanOf([]), message, hint)] };
  }
  const tests: PlacedTest[] = [];
  const diagnostics: Diagnostic[] = [];
  const names = new Map<string, number>();
  for (const [index, written] of value.tests.entries()) {
    const path = ['tests', index];
    const [kind, ...more] = KIND_NAMES.filter((name) => written[name as keyof typeof written] !== undefined);
    if (kind === undefined || more.length > 0) {
      const found = kind === undefined ? 'The test has no kind' : `The test has the kinds ${listed([kind, ...more])}`;
      const hint = `Write one of ${listed(KIND_NAMES)} as its key.`;
      diagnostics.push(finding('MISSING_KEY', places.spanOf(path), `${found}, expected one.`, hint));
      continue;
    }
    const about = read(kind, written[kind as keyof typeof written]);
    diagnostics.push(...unknownColumns(about, own, tables, broken, places, [...path, kind]));
    const name = written.name ?? defaultName(kind, about.columns);
    const times = (names.get(name) ?? 0) + 1;
    names.set(name, times);
    if (written.name !== undefined && times > 1) {
      const message = `Two tests of ${table} have the name "${name}".`;
      diagnostics.push(finding('BAD_VALUE', places.spanOf([...path, 'name']), message, 'Give one another name.'));
    }
    const hasDays = own.columns.some((column) => column.name === DATE);
    if (written.days !== undefined && (!hasDays || kind === 'sql')) {
      const message = kind === 'sql' ? 'SQL chooses its days itself.' : `${table} has no column ${DATE}.`;
      diagnostics.push(finding('BAD_VALUE', places.spanOf([...path, 'days']), message, 'Remove "days".'));
    }
    tests.push({
      table,
      name: times > 1 ? `${name}_${times}` : name,
      severity: written.severity,
      claim: about.claim,
      span: places.spanOf([...path, kind]),
      failing: (accounts) =>
        about.failing(sourceOf(own, tables, { days: written.days, isSum: kind === 'equals' }, accounts)),
    });
  }
  return { tests, diagnostics };
}

/** A written test with the kind that understands it. */
function read(kind: KindName, written: unknown) {
  const { columns, claim, failing, ...more } = KINDS[kind] as (typeof KINDS)['unique'] &
    Partial<(typeof KINDS)['equals']>;
  const value = written as never;
  return {
    columns: columns(value),
    other: more.other?.(value),
    claim: claim(value),
    failing: (source: Source) => failing(value, source),
  };
}

/** Sums and `days` are of complete days, because numbers of today still grow. */
function sourceOf(
  own: TestableTable,
  tables: ReadonlyMap<string, TestableTable>,
  { days, isSum }: { readonly days: number | undefined; readonly isSum: boolean },
  accounts: Source['accounts'],
): Source {
  const last = earliest(accounts.map(({ lastComplete }) => lastComplete));
  const bounds = [
    ...(days === undefined ? [] : [`${DATE} > ${literal(addDays(last, -days))}`]),
    ...(days === undefined && !isSum ? [] : [`${DATE} <= ${literal(last)}`]),
  ];
  const from = ({ name, columns }: TestableTable) => {
    if (bounds.length === 0 || !columns.some((column) => column.name === DATE)) return quoted(name);
    return `(SELECT * FROM ${quoted(name)} WHERE ${bounds.join(' AND ')}) AS ${quoted(name)}`;
  };
  return { from: from(own), ofOther: (name) => from(tables.get(name) ?? { name, columns: [] }), accounts };
}

const defaultName = (kind: KindName, columns: readonly string[]): string =>
  [kind, ...(kind === 'fresh' || kind === 'row_count' ? [] : columns.slice(0, kind === 'equals' ? 1 : undefined))]
    .join('_')
    .slice(0, NAME_LENGTH_MAX);

function unknownColumns(
  { columns, other }: ReturnType<typeof read>,
  own: TestableTable,
  tables: ReadonlyMap<string, TestableTable>,
  broken: ReadonlySet<string>,
  places: YamlPlaces,
  path: readonly (string | number)[],
): Diagnostic[] {
  const span = places.spanOf(path);
  const unknown = (table: TestableTable, names: readonly string[]) => {
    const known = new Set(table.columns.map(({ name }) => name));
    return names
      .filter((name) => !known.has(name))
      .map((name) => {
        const hint = didYouMean(name, known) ?? `Its columns: ${listed([...known])}.`;
        return finding('UNRECOGNIZED_FIELD', span, `The table ${table.name} has no column "${name}".`, hint);
      });
  };
  const found = unknown(own, columns);
  if (other === undefined || broken.has(other.table)) return found;
  const table = tables.get(other.table);
  if (table !== undefined) return [...found, ...unknown(table, [other.column])];
  const hint = didYouMean(other.table, tables.keys()) ?? `Known tables: ${listed([...tables.keys()])}.`;
  return [...found, finding('UNKNOWN_TABLE', span, `No query or model gives a table "${other.table}".`, hint)];
}
