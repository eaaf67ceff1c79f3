import { type DateRange, daysOf } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { outsideName } from '../../domain/outside-text.ts';
import { sumOfArriving } from '../../domain/still-arriving.ts';
import { counted } from '../html/wording.ts';
import { newestSettled, sumOfDays } from './pace.ts';
import type { AccountRange } from './range-columns.ts';
import { type RangeFigures, rangeFigures } from './range-figures.ts';
import type { AccountFacts, DaySums } from './report-facts.ts';

/** A row for each account, then a sum for each currency with several. `pathOf`: the page with the rows of accounts. */
export function rangeRows(
  accounts: readonly AccountFacts[],
  range: DateRange,
  pathOf: (customers: readonly CustomerId[]) => string | undefined = () => undefined,
): AccountRange[] {
  const length = daysOf(range).length;
  const all = accounts.map((account) => ({ account, figures: rangeFigures(account.days, range, account.lag) }));
  return [
    ...all.map(({ account, figures }) => rowOf(account, figures, range, pathOf([account.customerId]))),
    ...totals(all, length, pathOf),
  ];
}

function rowOf(
  account: AccountFacts,
  own: RangeFigures | undefined,
  range: DateRange,
  rowsPath: string | undefined,
): AccountRange {
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
    length: daysOf(range).length,
  };
}

const PARTIAL_MAX = 3;

/** Names accounts with missing days, those with most first. Undefined if all days are complete. */
export function partialWords(rows: readonly AccountRange[]): string | undefined {
  const partial = rows
    .filter(({ customerId, complete, length }) => customerId !== undefined && complete < length)
    .sort((one, other) => one.complete - other.complete);
  if (partial.length === 0) return undefined;
  const shown = partial.slice(0, PARTIAL_MAX).map(({ name, complete, length, until }) => {
    const days = `${complete} of ${length} days complete`;
    return `${outsideName(name)}: ${days}${until === undefined ? '' : `, until ${until}`}`;
  });
  const rest = partial.length - shown.length;
  return `Partial. ${[...shown, ...(rest > 0 ? [counted(rest, 'more account')] : [])].join('; ')}.`;
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
): AccountRange[] {
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
      before: sumOfAll(known.map(({ before }) => before)),
      converted: sumOfAll(known.map(({ converted }) => converted?.sums)),
      convertedBefore: sumOfAll(known.map(({ converted }) => converted?.before)),
      convertedDays: Math.min(...known.map(({ converted }) => converted?.days ?? 0)),
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
