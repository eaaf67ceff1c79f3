import type { StillArriving } from '../../domain/still-arriving.ts';
import type { Column } from '../../storage/columns/column.ts';
import { rateText } from '../html/wording.ts';
import { onPage } from '../kit/page-column.ts';
import { usualWords } from './arriving-words.ts';
import { perClick, perConversion, returnOnSpend } from './pace.ts';
import type { DaySums } from './report-facts.ts';

/** Sums of complete days, and the address of their rows. */
export interface Summed extends Partial<DaySums> {
  /** Without the days whose conversions are still arriving. */
  readonly converted?: DaySums | undefined;
  readonly arriving?: StillArriving | undefined;
  readonly currency?: string | undefined;
  readonly rowsPath?: string | undefined;
}

export const sumsOf = ({ costMicros, clicks, conversions, conversionsValue }: Summed): DaySums => ({
  costMicros,
  clicks,
  conversions,
  conversionsValue,
});
const link = ({ rowsPath }: Summed) => rowsPath;
const numeric = (value: number | undefined) => value?.toLocaleString('en-US', { maximumFractionDigits: 1 });

export const SPEND: Column<Summed> = onPage.money('Spend', 'costMicros', { rounded: true, link, importance: 2 });
export const CLICKS: Column<Summed> = onPage.count('Clicks', 'clicks', { link });
export const CPC = onPage.money('Cost per click', (row: Summed) => perClick(sumsOf(row)), { rounded: true });
export const CONVERSIONS = onPage.number('Conversions', (row: Summed) => row.conversions, {
  link,
  shown: ({ conversions }) => numeric(conversions),
});
/** Some of the conversions of the column before. */
export const ARRIVING = onPage.number('On days still arriving', ({ arriving }: Summed) => arriving?.soFar, {
  shown: ({ arriving }) => arriving && (numeric(arriving.soFar) ?? '–'),
  note: ({ arriving }) => arriving && usualWords(arriving),
});
export const CPA = onPage.money('CPA', ({ converted }: Summed) => converted && perConversion(converted), {
  rounded: true,
});
/** The service counts values in currency units, with fractions. */
export const VALUE = onPage.money('Value', ({ conversionsValue }: Summed) => microsOf(conversionsValue), {
  rounded: true,
  link,
});
export const microsOf = (units: number | undefined) =>
  units === undefined ? undefined : BigInt(Math.round(units * 1e6));
const roas = ({ converted }: Summed) => converted && returnOnSpend(converted);
export const ROAS = onPage.number('ROAS', roas, { shown: (row) => rateText(roas(row)) });
