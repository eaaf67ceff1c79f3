import type { Column } from '../../storage/columns/column.ts';
import { onPage } from '../kit/page-column.ts';
import { perClick, perConversion, returnOnSpend } from './pace.ts';
import type { DaySums } from './report-facts.ts';

/** Sums of complete days, and the address of their rows. */
export interface Summed extends Partial<DaySums> {
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
const numeric = (value: number | undefined, digits: number) =>
  value?.toLocaleString('en-US', { maximumFractionDigits: digits });

export const SPEND: Column<Summed> = onPage.money('Spend', 'costMicros', { rounded: true, link });
export const CLICKS: Column<Summed> = onPage.count('Clicks', 'clicks', { link });
export const CPC = onPage.money('Cost per click', (row: Summed) => perClick(sumsOf(row)), { rounded: true });
export const CONVERSIONS = onPage.number('Conversions', (row: Summed) => row.conversions, {
  link,
  shown: ({ conversions }) => numeric(conversions, 1),
});
export const CPA = onPage.money('CPA', (row: Summed) => perConversion(sumsOf(row)), { rounded: true });
export const ROAS = onPage.number('ROAS', (row: Summed) => returnOnSpend(sumsOf(row)), {
  shown: (row) => numeric(returnOnSpend(sumsOf(row)), 2),
});
