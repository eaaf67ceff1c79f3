import type { DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { outsideName } from '../../domain/outside-text.ts';
import { sumOfArriving } from '../../domain/still-arriving.ts';
import { counted } from '../html/wording.ts';
import { type Comparison, lengthOf } from './comparison.ts';
import { newestSettled, sumOfDays } from './pace.ts';
import type { AccountRange } from './range-columns.ts';
import { type RangeFigures, rangeFigures } from './range-figures.ts';
import type { AccountFacts, DaySums, PeriodSums } from './report-facts.ts';

/** A row for each account, then a sum for each currency with several. `pathOf`: the page with the rows of accounts. */
export function rangeRows(
  accounts: readonly AccountFacts[],
  range: DateRange,
  comparison?: Comparison,
  pathOf: (customers: readonly CustomerId[]) => string | undefined = () => undefined,
): AccountRange[] {
  const length = lengthOf(range);
  const all = accounts.map((account) => ({
    account,
    figures: rangeFigures(account.days, range, account.lag, comparison),
  }));
  const rows = [
    ...all.map(({ account, figures }) => rowOf(account, figures, range, pathOf([account.customerId]))),
    ...totals(all, length, pathOf),
  ];
  return rows.map((row) => ({ ...row, isDetailed: comparison !== undefined }));
}

function rowOf(
  account: AccountFacts,
  own: RangeFigures | undefined,
  range: DateRange,
  rowsPath: string | undefined,
): Row {
  const { customerId, name, currency, days } = account;
  return {
    ...own?.sums,
    customerId,
    name: name ?? customerId,
    currency,
    rowsPath,
    before: own?.before,
    converted: own?.converted?.sums,
    convertedBefore: own?.converted?.before,
    convertedDays: own?.converted?.days ?? 0,
    arriving: own?.arriving,
    until: newestSettled(days.filter(({ date }) => date <= range.to)),
    complete: own?.days ?? 0,
    since: days[0]?.date,
    length: lengthOf(range),
    against: own?.against,
    arrivingBefore: own?.converted?.against?.arriving ?? 0,
  };
}

type Row = Omit<AccountRange, 'isDetailed'>;

const NAMED_MAX = 3;

/** Names accounts with missing days, those with most first. Undefined if all days are complete. */
export function partialWords(rows: readonly AccountRange[]): string | undefined {
  const partial = rows.filter(({ customerId, complete, length }) => customerId !== undefined && complete < length);
  const words = byAccount(
    partial.sort((one, other) => one.complete - other.complete),
    ({ complete, length, until }) =>
      `${complete} of ${length} days complete${until === undefined ? '' : `, until ${until}`}`,
  );
  return words && `Partial. ${words}`;
}

/** Names accounts that are not compared, because compared days are missing. Undefined without such an account. */
export function notComparedWords(rows: readonly AccountRange[]): string | undefined {
  const lacking = rows.flatMap(({ customerId, name, before, against, since }) => {
    const isLacking =
      customerId !== undefined && against && before === undefined && against.complete < lengthOf(against);
    return isLacking ? { name, against, since } : [];
  });
  const words = byAccount(lacking, ({ against, since }) => {
    const begin = since !== undefined && since > against.from ? `, data since ${since}` : '';
    return `${against.complete} of ${lengthOf(against)} compared days complete${begin}`;
  });
  return words && `Not compared. ${words}`;
}

function byAccount<Row extends { readonly name: string }>(
  rows: readonly Row[],
  wordsOf: (row: Row) => string,
): string | undefined {
  if (rows.length === 0) return undefined;
  const shown = rows.slice(0, NAMED_MAX).map((row) => `${outsideName(row.name)}: ${wordsOf(row)}`);
  const rest = rows.length - shown.length;
  return `${[...shown, ...(rest > 0 ? [counted(rest, 'more account')] : [])].join('; ')}.`;
}

interface Own {
  readonly account: AccountFacts;
  readonly figures: RangeFigures | undefined;
}

/** One sum for each currency with several accounts. Different currencies are never added. */
function totals(
  all: readonly Own[],
  length: number,
  pathOf: (customers: readonly CustomerId[]) => string | undefined,
): Row[] {
  return [...Map.groupBy(all, ({ account }) => account.currency)].flatMap(([currency, own]) => {
    const counting = own.filter(({ figures }) => figures !== undefined);
    const known = counting.flatMap(({ figures }) => figures ?? []);
    if (currency === undefined || known.length < 2) return [];
    const until = known.map((figures) => figures.until).sort()[0];
    return {
      ...sumOfDays(known.map(({ sums }) => sums)),
      customerId: undefined,
      name: `${counted(known.length, 'account')} in ${currency}`,
      currency,
      rowsPath: pathOf(counting.map(({ account }) => account.customerId)),
      before: beforeOfAll(known),
      converted: sumOfAll(known.map(({ converted }) => converted?.sums)),
      convertedBefore: beforeOfAll(known.map(({ converted }) => converted)),
      convertedDays: Math.min(...known.map(({ converted }) => converted?.days ?? 0)),
      since: undefined,
      against: undefined,
      arrivingBefore: 0,
      arriving: sumOfArriving(known.map(({ arriving }) => arriving)),
      until,
      complete: Math.min(...known.map(({ days }) => days)),
      length,
    };
  });
}

/** Undefined if one is unknown. */
function sumOfAll(all: readonly (DaySums | undefined)[]): DaySums | undefined {
  const known = all.filter((sums) => sums !== undefined);
  return known.length < all.length ? undefined : sumOfDays(known);
}

/** Undefined if one is unknown, or if averages per day of different numbers of days would be mixed. */
function beforeOfAll(all: readonly (Pick<RangeFigures, 'days' | 'before'> | undefined)[]): PeriodSums | undefined {
  const sums = sumOfAll(all.map((one) => one?.before));
  const days = all.map((one) => one?.before?.days ?? 0);
  const isMixed = new Set(all.map((one) => (one?.before?.days ?? 0) / (one?.days ?? 1))).size > 1;
  return sums && !isMixed ? { ...sums, days: Math.min(...days) } : undefined;
}
