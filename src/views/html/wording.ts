import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { formatMoney, formatMoneyRounded } from '../../domain/micros.ts';
import type { StateWord, Tone } from '../../storage/columns/state-words.ts';
import { type Html, html } from './html.ts';

export function costText(amount: bigint | undefined, currency: string | undefined): string | undefined {
  if (amount === undefined) return undefined;
  return currency === undefined
    ? `${formatMoneyRounded(amount, undefined)} (no currency)`
    : formatMoneyRounded(amount, currency);
}

export function amountText(amount: bigint | undefined, currency: string | undefined): string | undefined {
  return amount === undefined ? undefined : formatMoney(amount, currency);
}

/** Text such as "60.00 EUR → 51.00 EUR". */
export function changeText(change: {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  readonly currency: string | undefined;
}): Html | undefined {
  const from = amountText(change.from, change.currency);
  const to = amountText(change.to, change.currency);
  const whole = (amount: string) => html`<span class="day">${amount}</span>`;
  if (from === undefined) return to === undefined ? undefined : whole(to);
  if (to === undefined) return whole(from);
  return html`${whole(from)} ${whole(`→ ${to}`)}`;
}

/** Text such as "44.5%", for 0.445. */
export function shareText(value: number | undefined): string | undefined {
  return value?.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 });
}

export function numberText(value: number | undefined): string | undefined {
  return value?.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** A rate such as ROAS, with two decimals. */
export function rateText(value: number | undefined): string | undefined {
  return value?.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

export function countText(value: bigint | number | undefined): string | undefined {
  return value?.toLocaleString('en-US');
}

/** Text such as "+12.3%". `perMille` is in tenths of a percent. */
export function percentText(perMille: bigint | undefined, signed = false): string | undefined {
  if (perMille === undefined) return undefined;
  const absolute = perMille < 0n ? -perMille : perMille;
  const sign = perMille < 0n ? '−' : signed && perMille > 0n ? '+' : '';
  return `${sign}${(absolute / 10n).toLocaleString('en-US')}.${absolute % 10n}%`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export function shortDay(date: CivilDate): string {
  return DAY.format(new Date(`${date}T00:00:00Z`));
}

/** Text such as "7 Nov 2026". */
export function dayOfYear(date: CivilDate): string {
  return DAY_OF_YEAR.format(new Date(`${date}T00:00:00Z`));
}

export function monthText(date: CivilDate): string {
  return MONTH.format(new Date(`${date}T00:00:00Z`));
}

export function rangeText({ from, to }: DateRange): string {
  return from === to ? from : `${from} to ${to}`;
}

/** For a page with days of these accounts beside times of the record. */
export function zoneWords(accounts: readonly { readonly timeZone?: string | undefined }[] = []): string {
  const zones = new Set(accounts.map(({ timeZone }) => timeZone));
  const [zone] = zones.size === 1 ? zones : [];
  return `Days are in ${zone ?? "each account's time zone"}, times in UTC.`;
}

export function counted(count: number | bigint, word: string, many = `${word}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 || count === 1n ? word : many}`;
}

/** Converts micros to currency units. A float is not exact, so use the result only in drawings. */
export function drawnAmount(amount: bigint | undefined): number | undefined {
  return amount === undefined ? undefined : Number(amount) / 1e6;
}

/** For a series of a chart: the values to draw, and their exact texts. */
export function drawnMoney(amounts: readonly (bigint | undefined)[], currency: string | undefined) {
  return { values: amounts.map(drawnAmount), texts: amounts.map((amount) => costText(amount, currency)) };
}

const CLASSES: Readonly<Record<Tone, string>> = { good: 'good', bad: 'bad', waits: 'warn', plain: 'warn' };

export function stateText([word, tone]: StateWord): Html {
  return html`<span class="${CLASSES[tone]}">${word}</span>`;
}
