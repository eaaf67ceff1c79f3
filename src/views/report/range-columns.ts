import type { CivilDate } from '../../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { pathOf } from '../../domain/pages.ts';
import type { Column } from '../../storage/columns/column.ts';
import { shortDay } from '../html/wording.ts';
import { onPage } from '../kit/page-column.ts';
import { perConversion, returnOnSpend } from './pace.ts';
import type { DaySums } from './report-facts.ts';
import { ARRIVING, CLICKS, CONVERSIONS, CPA, ROAS, SPEND, type Summed, sumsOf, VALUE } from './sum-columns.ts';

/** Figures of an account, or of all accounts with one currency. */
export interface AccountRange extends Summed {
  readonly customerId: CustomerId | undefined;
  readonly name: string;
  readonly before: DaySums | undefined;
  readonly convertedBefore: DaySums | undefined;
  readonly convertedDays: number;
  readonly until: string | undefined;
  /** Number of complete days, and of all days of the range. */
  readonly complete: number;
  readonly length: number;
}

export interface CampaignRange extends Summed {
  readonly customerId: CustomerId;
  readonly campaignId: CampaignId;
  readonly accountName: string | undefined;
  readonly campaign: string;
  /** Undefined if unknown, or if several campaigns share it. */
  readonly budget: bigint | undefined;
  /** The last day of the rates if it is before the end of the range. */
  readonly ratesUntil: CivilDate | undefined;
}

type Value = (sums: DaySums) => bigint | number | undefined;
type Sides = (row: AccountRange) => readonly [now: DaySums | undefined, before: DaySums | undefined];

const ofDays: Sides = (row) => [sumsOf(row), row.before];
const ofConverted: Sides = ({ converted, convertedBefore }) => [converted, convertedBefore];

function change(of: string, value: Value, sides: Sides, note: Column<AccountRange>['note']): Column<AccountRange> {
  const changeOf = (row: AccountRange) => {
    const [now, then] = sides(row).map((sums) => sums && value(sums));
    if (now === undefined || then === undefined || Number(then) === 0) return undefined;
    return (Number(now) - Number(then)) / Math.abs(Number(then));
  };
  return onPage.share(`Change of ${of}`, changeOf, {
    note: (row) => (changeOf(row) === undefined ? undefined : note?.(row, undefined)),
    shown: (row) => {
      const found = changeOf(row);
      if (found === undefined) return undefined;
      const words = Math.abs(found).toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 0 });
      return `${words === '0%' ? '' : found > 0 ? '+' : '−'}${words}`;
    },
  });
}

/** If conversions of some days are still arriving: how many days the figure has. */
const convertedNote = ({ arriving, convertedDays, complete }: AccountRange) =>
  arriving && convertedDays > 0 ? `${convertedDays} of ${complete} days` : undefined;

/** A sum of accounts can have different days of each. */
const partialNote = ({ customerId, complete, length }: AccountRange) =>
  customerId === undefined || complete === length ? undefined : `${complete} of ${length} days, against as many before`;

export const ACCOUNT_RANGE_COLUMNS: readonly Column<AccountRange>[] = [
  onPage.text('Account', 'name', {
    link: ({ customerId }) => customerId && pathOf('account', { customer: customerId }),
  }),
  SPEND,
  change('spend', ({ costMicros }) => costMicros, ofDays, partialNote),
  CLICKS,
  change('clicks', ({ clicks }) => clicks, ofDays, partialNote),
  CONVERSIONS,
  ARRIVING,
  change('conversions', ({ conversions }) => conversions, ofConverted, convertedNote),
  { ...CPA, note: convertedNote },
  change('CPA', perConversion, ofConverted, convertedNote),
  VALUE,
  change('value', ({ conversionsValue }) => conversionsValue, ofConverted, convertedNote),
  { ...ROAS, note: convertedNote },
  change('ROAS', returnOnSpend, ofConverted, convertedNote),
  onPage.text('Complete days', ({ complete, length }) => `${complete} of ${length}`, {
    note: ({ until, complete, length }) => (complete < length && until !== undefined ? `until ${until}` : undefined),
  }),
];

/** A rate counts only days whose conversions have arrived. */
function ratesNote(rate: (sums: DaySums) => unknown): Column<CampaignRange>['note'] {
  return ({ converted, ratesUntil }) =>
    converted && rate(converted) !== undefined && ratesUntil ? `to ${shortDay(ratesUntil)}` : undefined;
}

export const CAMPAIGN_RANGE_COLUMNS: readonly Column<CampaignRange>[] = [
  onPage.text('Campaign', 'campaign', {
    link: ({ customerId, campaignId }) => pathOf('campaign', { customer: customerId, campaign: campaignId }),
  }),
  onPage.id('Account', 'customerId', {
    shown: ({ customerId, accountName }) => accountName ?? customerId,
    link: ({ customerId }) => pathOf('account', { customer: customerId }),
  }),
  onPage.money('Daily budget', 'budget'),
  SPEND,
  CLICKS,
  CONVERSIONS,
  { ...CPA, note: ratesNote(perConversion) },
  VALUE,
  { ...ROAS, note: ratesNote(returnOnSpend) },
];
