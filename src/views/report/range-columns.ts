import type { CivilDate } from '../../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { pathOf } from '../../domain/pages.ts';
import type { Column } from '../../storage/columns/column.ts';
import { counted, shortDay } from '../html/wording.ts';
import { cellText, cellValue } from '../kit/cells.ts';
import { onPage } from '../kit/page-column.ts';
import type { Cell } from '../kit/sheet.ts';
import { changeShare, changeText } from './comparison.ts';
import { perConversion, returnOnSpend } from './pace.ts';
import type { RangeFigures } from './range-figures.ts';
import type { DaySums, PeriodSums } from './report-facts.ts';
import { ARRIVING, CLICKS, CONVERSIONS, CPA, ROAS, SPEND, type Summed, sumsOf, VALUE } from './sum-columns.ts';

/** A row with changes. */
interface Sided extends Summed {
  /** Number of complete days. */
  readonly complete: number;
  readonly convertedDays: number;
  readonly before: PeriodSums | undefined;
  readonly convertedBefore: PeriodSums | undefined;
  /** True if somebody chose the comparison. The compared sums are then shown, too. */
  readonly isDetailed: boolean;
}

/** Figures of an account, or of all accounts with one currency. */
export interface AccountRange extends Sided {
  readonly customerId: CustomerId | undefined;
  readonly name: string;
  readonly until: string | undefined;
  /** The first day that is known. */
  readonly since: CivilDate | undefined;
  /** Number of all days of the range. */
  readonly length: number;
  readonly against: RangeFigures['against'];
  /** Number of compared days whose conversions are still arriving. */
  readonly arrivingBefore: number;
}

export interface CampaignRange extends Sided {
  readonly customerId: CustomerId;
  readonly campaignId: CampaignId;
  readonly accountName: string | undefined;
  readonly campaign: string;
  /** Undefined if unknown, or if several campaigns share it. */
  readonly budget: bigint | undefined;
  /** The last day of the rates if it is before the end of the range. */
  readonly ratesUntil: CivilDate | undefined;
}

interface Sides {
  readonly own: DaySums | undefined;
  readonly days: number;
  readonly before: PeriodSums | undefined;
}

const ofDays = (row: Sided): Sides => ({ own: sumsOf(row), days: row.complete, before: row.before });
const ofConverted = (row: Sided): Sides => ({
  own: row.converted,
  days: row.convertedDays,
  before: row.convertedBefore,
});
/** A rate does not depend on the number of days. */
const ofRate = (row: Sided): Sides => ({ ...ofConverted(row), days: row.convertedBefore?.days ?? 0 });

function changeOf(column: Column<Summed>, sides: (row: Sided) => Sides, row: Sided): number | undefined {
  const { own, days, before } = sides(row);
  const numberOf = (sums: DaySums) => cellValue(cellOf(column, sums, row)) as bigint | number | undefined;
  return own && before && changeShare(numberOf(own), days, numberOf(before), before.days);
}

/** A column shows the sums of each side. */
function cellOf(column: Column<Summed>, sums: DaySums, { currency }: Summed): Cell {
  return { column: column as Column<unknown>, row: { ...sums, converted: sums, currency } satisfies Summed };
}

/** If somebody chose the comparison, such as "from 12.00 EUR". */
function fromWords(column: Column<Summed>, sides: (row: Sided) => Sides, row: Sided): string | undefined {
  const { days, before } = sides(row);
  const text = before && row.isDetailed ? cellText(cellOf(column, before, row)) : '';
  if (before === undefined || text === '') return undefined;
  return days === before.days ? `from ${text}` : `per day, from ${text} in ${counted(before.days, 'day')}`;
}

const joined = (words: readonly (string | undefined)[]) => words.filter(Boolean).join(', ') || undefined;

function change(
  of: string,
  column: Column<Summed>,
  sides: (row: Sided) => Sides,
  note: (row: AccountRange) => string | undefined,
): Column<AccountRange> {
  const own = (row: AccountRange) => changeOf(column, sides, row);
  return onPage.share(`Change of ${of}`, own, {
    note: (row) => joined([fromWords(column, sides, row), own(row) === undefined ? undefined : note(row)]),
    shown: (row) => changeText(own(row)),
  });
}

/** With its change below it. */
function compared(
  column: Column<Summed>,
  sides: (row: Sided) => Sides,
  note: (row: CampaignRange) => string | undefined = () => undefined,
): Column<CampaignRange> {
  const words = (row: CampaignRange) =>
    [changeText(changeOf(column, sides, row)), fromWords(column, sides, row)].filter(Boolean).join(' ');
  return { ...column, note: (row) => joined([words(row), note(row)]) };
}

/** If conversions of some days are still arriving: how many days the figure has. */
const convertedNote = ({ arriving, convertedDays, complete }: Sided) =>
  arriving && convertedDays > 0 ? `${convertedDays} of ${complete} days` : undefined;

/** A sum of accounts can have different days of each. */
const partialNote = ({ customerId, complete, length, before }: AccountRange) =>
  customerId === undefined || complete === length
    ? undefined
    : `${complete} of ${length} days, against ${before?.days === complete ? 'as many before' : before?.days}`;

export const ACCOUNT_RANGE_COLUMNS: readonly Column<AccountRange>[] = [
  onPage.text('Account', 'name', {
    link: ({ customerId }) => customerId && pathOf('account', { customer: customerId }),
  }),
  SPEND,
  change('spend', SPEND, ofDays, partialNote),
  CLICKS,
  change('clicks', CLICKS, ofDays, partialNote),
  CONVERSIONS,
  ARRIVING,
  change('conversions', CONVERSIONS, ofConverted, convertedNote),
  { ...CPA, note: convertedNote },
  change('CPA', CPA, ofRate, convertedNote),
  VALUE,
  change('value', VALUE, ofConverted, convertedNote),
  { ...ROAS, note: convertedNote },
  change('ROAS', ROAS, ofRate, convertedNote),
  onPage.text('Complete days', ({ complete, length }) => `${complete} of ${length}`, {
    note: ({ until, complete, length }) => (complete < length && until !== undefined ? `until ${until}` : undefined),
  }),
];

/** A change of conversions counts only days whose conversions have arrived. */
const changeNote = ({ convertedBefore, ratesUntil }: CampaignRange) =>
  convertedBefore && ratesUntil ? `to ${shortDay(ratesUntil)}` : undefined;

/** A rate counts only days whose conversions have arrived. */
const ratesNote =
  (rate: (sums: DaySums) => unknown) =>
  ({ converted, ratesUntil }: CampaignRange) =>
    converted && rate(converted) !== undefined && ratesUntil ? `to ${shortDay(ratesUntil)}` : undefined;

export const CAMPAIGN_RANGE_COLUMNS: readonly Column<CampaignRange>[] = [
  onPage.text('Campaign', 'campaign', {
    link: ({ customerId, campaignId }) => pathOf('campaign', { customer: customerId, campaign: campaignId }),
  }),
  onPage.id('Account', 'customerId', {
    shown: ({ customerId, accountName }) => accountName ?? customerId,
    link: ({ customerId }) => pathOf('account', { customer: customerId }),
  }),
  onPage.money('Daily budget', 'budget'),
  compared(SPEND, ofDays),
  compared(CLICKS, ofDays),
  compared(CONVERSIONS, ofConverted, changeNote),
  compared(CPA, ofRate, ratesNote(perConversion)),
  compared(VALUE, ofConverted, changeNote),
  compared(ROAS, ofRate, ratesNote(returnOnSpend)),
];
