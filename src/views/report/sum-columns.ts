import { type Column, count, money, number } from '../../storage/columns/column.ts';
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

export const SPEND: Column<Summed> = money('cost_micros', 'The spend of complete days.', 'costMicros', {
  title: 'Spend',
  rounded: true,
  link,
});
export const CLICKS: Column<Summed> = count('clicks', 'The clicks of complete days.', 'clicks', {
  title: 'Clicks',
  link,
});
export const CPC = money('average_cpc_micros', 'Spend per click.', (row: Summed) => perClick(sumsOf(row)), {
  title: 'Cost per click',
  rounded: true,
});
export const CONVERSIONS = number(
  'conversions',
  'The conversions of complete days.',
  (row: Summed) => row.conversions,
  {
    title: 'Conversions',
    link,
    shown: ({ conversions }) => numeric(conversions, 1),
  },
);
export const CPA = money('cpa_micros', 'Spend per conversion.', (row: Summed) => perConversion(sumsOf(row)), {
  title: 'CPA',
  rounded: true,
});
export const ROAS = number('roas', 'Value of conversions per spend.', (row: Summed) => returnOnSpend(sumsOf(row)), {
  title: 'ROAS',
  shown: (row) => numeric(returnOnSpend(sumsOf(row)), 2),
});
