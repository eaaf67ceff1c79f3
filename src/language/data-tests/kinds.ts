import * as z from 'zod';
import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import { formatRational, parseDecimal, type Rational, rational } from '../../domain/rational.ts';
import { counted, listed } from '../../domain/wording.ts';
import { shareOf } from '../rules/language/expression.ts';
import { nonEmptyText, oneOrMany, scalar, wholeNumber } from '../yaml/scalars.ts';
import type { TestedAccount } from './data-test.ts';

/** A column of another table. */
export interface OtherColumn {
  readonly table: string;
  readonly column: string;
}

const column = scalar('the name of a column', (text) => (text === '' ? undefined : text));
const columns = oneOrMany(column);
const number = scalar('a number', (text) => (/^-?\d{1,18}(?:\.\d{1,9})?$/.test(text) ? text : undefined)).meta({
  type: ['number', 'string'],
});
const PERCENTAGE = /^(\d{1,3}(?:\.\d{1,6})?)%$/;
const shareIn = (text: string): Rational | undefined => {
  const [, digits] = PERCENTAGE.exec(text) ?? [];
  return digits === undefined ? undefined : shareOf(digits);
};
const percentage = scalar('a percentage such as 50%', (text) => {
  const share = shareIn(text);
  return share && { share, text };
});
const tolerance = scalar('a percentage such as 0.5%, or a number', (text) => {
  const share = shareIn(text);
  const least = share ?? parseDecimal(text);
  return least && { least, isShare: share !== undefined, text };
}).meta({ type: ['number', 'string'] });
const otherColumn = scalar('a column of a table, such as campaigns.campaign_id', (text): OtherColumn | undefined => {
  const [table, name, ...more] = text.split('.');
  return table && name && more.length === 0 ? { table, column: name } : undefined;
});
const days = scalar('a number of days such as 2 days', (text) => {
  const [, digits] = /^(\d{1,4}) days?$/i.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
});

/** The rows as FROM takes them: a table, or some of its days. */
export interface Source {
  readonly from: string;
  readonly ofOther: (table: string) => string;
  readonly accounts: readonly TestedAccount[];
}

interface Kind<Written> {
  readonly schema: z.ZodType<Written>;
  /** Columns of the tested table that must exist. */
  columns(written: Written): readonly string[];
  other?(written: Written): OtherColumn;
  claim(written: Written): string;
  failing(written: Written, source: Source): string;
}

const kind = <Written>(one: Kind<Written>): Kind<Written> => one;

export const DATE = 'date';
export const CUSTOMER = 'customer_id';

/** The words of a test file. NULL is never a duplicate, a wrong value or out of range: `not_null` is for that. */
export const KINDS = {
  unique: kind({
    schema: columns.meta({ description: 'No two rows have the same values in these columns.' }),
    columns: (names) => names,
    claim: (names) => `no two rows have the same ${listed(names)}`,
    failing: (names, { from }) => {
      const known = names.map((name) => `${quoted(name)} IS NOT NULL`).join(' AND ');
      const alike = `SELECT *, count(*) OVER (PARTITION BY ${names.map(quoted).join(', ')}) AS rows_alike FROM ${from}`;
      return `SELECT * FROM (${alike} WHERE ${known}) AS every WHERE rows_alike > 1`;
    },
  }),
  not_null: kind({
    schema: columns.meta({ description: 'These columns are never empty.' }),
    columns: (names) => names,
    claim: (names) => `${listed(names)} ${names.length === 1 ? 'is' : 'are'} never empty`,
    failing: (names, { from }) =>
      `SELECT * FROM ${from} WHERE ${names.map((name) => `${quoted(name)} IS NULL`).join(' OR ')}`,
  }),
  accepted_values: kind({
    schema: z
      .strictObject({ column, values: z.array(nonEmptyText).min(1, { error: 'at least one value' }) })
      .meta({ description: 'The column has only these values.' }),
    columns: ({ column }) => [column],
    claim: ({ column, values }) => `${column} is one of ${values.join(', ')}`,
    failing: ({ column, values }, { from }) =>
      `SELECT * FROM ${from} WHERE CAST(${quoted(column)} AS TEXT) NOT IN (${values.map(literal).join(', ')})`,
  }),
  range: kind({
    schema: z
      .strictObject({ column, min: number.optional(), max: number.optional() })
      .refine(({ min, max }) => min !== undefined || max !== undefined, { error: 'min, max, or both' })
      .meta({ description: 'The numbers of the column are between min and max.' }),
    columns: ({ column }) => [column],
    claim: ({ column, min, max }) =>
      `${column} is ${[min && `at least ${min}`, max && `at most ${max}`].filter(Boolean).join(' and ')}`,
    failing: ({ column, min, max }, { from }) => {
      const beyond = [min && `${quoted(column)} < ${min}`, max && `${quoted(column)} > ${max}`].filter(Boolean);
      return `SELECT * FROM ${from} WHERE ${beyond.join(' OR ')}`;
    },
  }),
  relationships: kind({
    schema: z
      .strictObject({ column, to: otherColumn })
      .meta({ description: 'Each value of the column is in a column of another table.' }),
    columns: ({ column }) => [column],
    other: ({ to }) => to,
    claim: ({ column, to }) => `each ${column} is in ${to.table}.${to.column}`,
    // NOT IN, because both engines then keep the values of the other table in memory.
    failing: ({ column, to }, { from }) =>
      `SELECT * FROM ${from} WHERE ${quoted(column)} NOT IN (SELECT ${quoted(to.column)} FROM ${quoted(to.table)} WHERE ${quoted(to.column)} IS NOT NULL)`,
  }),
  fresh: kind({
    schema: days.meta({ description: 'How old the newest date of an account may be.', examples: ['2 days'] }),
    columns: () => [CUSTOMER, DATE],
    claim: (age) => `the newest date of each account is at most ${counted(age, 'day')} old`,
    // An account without any row has no newest date. `row_count` notices when rows end.
    failing: (age, { from, accounts }) => {
      const oldest = accounts.map(({ customerId, today }) => [customerId, literal(addDays(today, -age))]);
      return `SELECT ${CUSTOMER}, max(${DATE}) AS newest, column2 AS expected_from
        FROM ${from} JOIN ${values(oldest)} AS oldest ON column1 = ${CUSTOMER}
        GROUP BY ${CUSTOMER}, column2 HAVING max(${DATE}) < date(column2)`;
    },
  }),
  row_count: kind({
    schema: z
      .strictObject({
        within: percentage,
        weeks: wholeNumber(1, 52).default(4),
        days: wholeNumber(1, 31).default(7),
      })
      .meta({ description: 'The last complete days have about as many rows as the same weekdays before.' }),
    columns: () => [CUSTOMER, DATE],
    claim: ({ within, weeks, days }) =>
      `the rows of each of the last ${counted(days, 'complete day')} are within ${within.text} of its weekday in the ${counted(weeks, 'week')} before`,
    // A weekday without rows in all these weeks says nothing about the next.
    failing: ({ within, weeks, days }, { from, accounts }) => {
      const judged = accounts.map(({ customerId, lastComplete }) => [customerId, literal(lastComplete)]);
      const looks = [...new Set(accounts.map(({ lastComplete }) => lastComplete))].flatMap((last) =>
        daysBefore(last, days).flatMap((day) =>
          Array.from({ length: weeks + 1 }, (_, week) => [last, day, addDays(day, -7 * week)].map(literal)),
        ),
      );
      const from0 = addDays(earliest(accounts.map(({ lastComplete }) => lastComplete)), -days - 7 * weeks);
      return `SELECT * FROM (
        SELECT account.column1 AS ${CUSTOMER}, look.column2 AS ${DATE},
          sum(CASE WHEN look.column3 = look.column2 THEN coalesce(rows_found, 0) ELSE 0 END) AS rows_found,
          avg(CASE WHEN look.column3 <> look.column2 THEN rows_found END) AS rows_usual
        FROM ${values(judged)} AS account JOIN ${values(looks)} AS look ON look.column1 = account.column2
        LEFT JOIN (SELECT ${CUSTOMER}, ${DATE}, count(*) AS rows_found FROM ${from}
          WHERE ${DATE} >= ${literal(from0)} GROUP BY ${CUSTOMER}, ${DATE}) AS counted
          ON counted.${CUSTOMER} = account.column1 AND counted.${DATE} = date(look.column3)
        GROUP BY account.column1, look.column2) AS every
      WHERE abs(rows_found - rows_usual) > ${decimal(within.share)} * rows_usual`;
    },
  }),
  equals: kind({
    schema: z
      .strictObject({
        column,
        to: otherColumn,
        by: oneOrMany(column).optional(),
        tolerance: tolerance.optional(),
      })
      .meta({ description: 'The sum of the column is that of a column of another table.' }),
    columns: ({ column, by = [] }) => [column, CUSTOMER, ...by],
    other: ({ to }) => to,
    claim: ({ column, to, by = [], tolerance }) =>
      `the sum of ${column} is that of ${to.table}.${to.column} for each ${listed([CUSTOMER, ...by])}${tolerance ? `, within ${tolerance.text}` : ''}`,
    failing: ({ column, to, by = [], tolerance }, { from, ofOther }) => {
      const keys = [...new Set([CUSTOMER, ...by])].map(quoted).join(', ');
      const { least, isShare } = tolerance ?? { least: rational(0n), isShare: false };
      const most = isShare ? `${decimal(least)} * abs(sum(there))` : decimal(least);
      return `SELECT ${keys}, sum(here) AS sum_here, sum(there) AS sum_there FROM (
        SELECT ${keys}, coalesce(${quoted(column)}, 0) AS here, 0 AS there FROM ${from}
        UNION ALL SELECT ${keys}, 0, coalesce(${quoted(to.column)}, 0) FROM ${ofOther(to.table)}) AS sides
      GROUP BY ${keys} HAVING abs(sum(here) - sum(there)) > ${most}`;
    },
  }),
  sql: kind({
    schema: nonEmptyText
      .transform((sql) => sql.replace(/;\s*$/, ''))
      .meta({ description: 'One SELECT of wrong rows over queries and models. It must find none.' }),
    columns: () => [],
    claim: () => 'the SELECT of the test finds no row',
    failing: (sql) => sql,
  }),
} as const;

export type KindName = keyof typeof KINDS;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Columns of VALUES are column1, column2 … in both engines. */
const values = (rows: readonly (readonly string[])[]): string =>
  `(VALUES ${rows.map((row) => `(${row.join(', ')})`).join(', ')})`;

/** No file can say more places. */
const decimal = (value: Rational): string => formatRational(value, 9);

const daysBefore = (last: CivilDate, count: number): CivilDate[] =>
  Array.from({ length: count }, (_, back) => addDays(last, -back));

export function earliest(dates: readonly CivilDate[]): CivilDate {
  const [first] = dates.toSorted();
  if (first === undefined) throw new InvariantError('A test needs an account.');
  return first;
}
