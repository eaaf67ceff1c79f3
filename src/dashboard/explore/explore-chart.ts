import { daysBetween, startOfGrain } from '../../domain/civil-date.ts';
import { cutText } from '../../domain/outside-text.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import { civilDate, parseCivilDate } from '../../domain/parse-civil-date.ts';
import { listed } from '../../domain/wording.ts';
import type { ExploredRows, ExploredValue } from '../../storage/warehouse/explored.ts';
import { chart } from '../../views/html/chart/chart.ts';
import { dayChart } from '../../views/html/chart/day-chart.ts';
import type { Series } from '../../views/html/chart/plot.ts';
import { type Html, html } from '../../views/html/html.ts';
import { costText, shortDay } from '../../views/html/wording.ts';
import { CHART_KINDS, type ChartChoice } from './explore-text.ts';
import { drawnNumber, isNumberColumn, shownValue } from './explored-values.ts';

/** The currencies behind the rows. */
export interface KnownMoney {
  /** `micros` is millionths, `units` whole units. Undefined for a column that may have amounts. */
  kindOf(column: string): 'micros' | 'units' | 'none' | undefined;
  /** The currency of each account, by its id. */
  readonly currencies: ReadonlyMap<string, string | undefined>;
}

interface ChartRequest {
  readonly explored: ExploredRows;
  readonly choice: ChartChoice;
  readonly money: KnownMoney;
  /** Hidden fields of the query, and the words for its table. */
  readonly kept: Html;
  readonly caption: string;
}

const { path } = PAGES.explore;
const SERIES_MAX = 4;
const PLACES_MAX = 60;
const NAME_MAX = 24;
const PARTIAL_MAX = 3;

type Rows = ExploredRows['rows'];

/** Undefined if no column has numbers. An address chooses columns; otherwise, dates and the first numbers are drawn. */
export function exploreChart(request: ChartRequest): Html | undefined {
  const { explored, choice, money } = request;
  const { columns, rows } = explored;
  const numeric = columns.filter((name, index) => !/(?:^|_)id$/.test(name) && isNumberColumn(rows, index));
  if (rows.length < 2 || numeric.length === 0) return undefined;
  const dates = columns.filter((_, index) => rows.every((row) => isDate(row[index])));
  const chosen = (wanted: string | undefined, among: readonly string[]) => among.find((name) => name === wanted);
  const x = chosen(choice.x, columns) ?? dates[0];
  const y = chosen(choice.y, numeric) ?? numeric.find((name) => name !== x);
  const kind = y === undefined ? 'none' : money.kindOf(y);
  const mayMix = kind === undefined ? currencyAt(columns) >= 0 : kind !== 'none';
  const own = mayMix ? byCurrency(explored, money) : undefined;
  const currency = own && (own.has(choice.currency ?? '') ? choice.currency : mostRows(own));
  const drawn = own === undefined ? rows : (own.get(currency ?? '') ?? []);
  const columnAt = (name: string | undefined) => columns.indexOf(name ?? '');
  const series =
    chosen(choice.series, columns) ??
    (choice.series !== '' && x !== undefined ? telling(columns, drawn, columnAt(x), columnAt(y)) : undefined);
  const form = chooser(request, numeric, { x, y, series, kind: choice.kind ?? 'line', currency }, own);
  if (x === undefined || y === undefined) return html`<details><summary>Draw a chart</summary>${form}</details>`;
  const at = { x: columnAt(x), y: columnAt(y), series: columnAt(series) };
  return html`<div class="drawn">${own?.size === 0 ? noCurrency() : picture(request, drawn, { x, y, series, currency }, at)}${form}${own && others(own, currency)}</div>`;
}

const isDate = (value: ExploredValue | undefined) => typeof value === 'string' && parseCivilDate(value) !== undefined;
const textOf = (value: ExploredValue | undefined) => String(shownValue(value ?? null) ?? '(none)');

/** The rows of each currency, because amounts of two currencies never share a chart. Without a currency, a row is left out. */
function byCurrency({ columns, rows }: ExploredRows, { currencies }: KnownMoney): ReadonlyMap<string, Rows> {
  const named = currencyAt(columns);
  const account = columns.indexOf('customer_id');
  const known = new Set(currencies.values());
  const [only] = known.size === 1 ? known : [];
  const currencyOf = (row: Rows[number]) =>
    named >= 0 ? textOf(row[named]) : account >= 0 ? currencies.get(textOf(row[account])) : only;
  const groups = Map.groupBy(rows, (row) => currencyOf(row) ?? '(none)');
  groups.delete('(none)');
  return groups;
}

const currencyAt = (columns: readonly string[]) => columns.findIndex((name) => /(?:^|_)currency$/.test(name));

function mostRows(groups: ReadonlyMap<string, Rows>): string | undefined {
  return [...groups].toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0];
}

function noCurrency(): Html {
  return html`<p class="note">For a chart of amounts, also select their <code>currency</code>. Accounts have several.</p>`;
}

function others(groups: ReadonlyMap<string, Rows>, currency: string | undefined): Html | false {
  const names = [...groups.keys()].filter((name) => name !== currency);
  return (
    names.length > 0 &&
    html`<p class="note">The chart has only ${currency}. Other rows are in ${names.map((name) => cutText(name, NAME_MAX)).join(', ')}.</p>`
  );
}

/** The first column of texts by which no place has two rows. Undefined if places have one row anyway. */
function telling(columns: readonly string[], rows: Rows, x: number, y: number): string | undefined {
  const isUnique = (index?: number) =>
    new Set(rows.map((row) => JSON.stringify([row[x], index === undefined ? 0 : row[index]]))).size === rows.length;
  if (isUnique()) return undefined;
  return columns.find((_, index) => index !== x && index !== y && !isNumberColumn(rows, index) && isUnique(index));
}

interface Places {
  readonly x: number;
  readonly y: number;
  readonly series: number;
}

type Named = Pick<ChartChoice, 'x' | 'y' | 'series' | 'currency'>;

function picture({ explored, choice, money, caption }: ChartRequest, rows: Rows, named: Named, at: Places): Html {
  const { x = '', y = '', series, currency } = named;
  const hasDays = rows.every((row) => isDate(row[at.x]));
  const found = [...new Set(rows.map((row) => textOf(row[at.x])))];
  const all = hasDays ? found.toSorted() : found;
  const places = hasDays ? all : all.slice(0, PLACES_MAX);
  const groups = Map.groupBy(rows, (row) => (series === undefined ? y : textOf(row[at.series])));
  for (const group of groups.values()) {
    if (new Set(group.map((row) => textOf(row[at.x]))).size === group.length) continue;
    const columns = series === undefined ? x : `${x}, ${series}`;
    return html`<p class="note">For a chart, sum the rows: GROUP BY ${columns}.</p>`;
  }
  const numbersOf = (group: Rows) => new Map(group.map((row) => [textOf(row[at.x]), row[at.y] ?? null]));
  const sizeOf = (group: Rows) => group.reduce((sum, row) => sum + Math.abs(drawnNumber(row[at.y]) ?? 0), 0);
  const largest = [...groups].toSorted(([, one], [, other]) => sizeOf(other) - sizeOf(one)).slice(0, SERIES_MAX);
  const kind = money.kindOf(y);
  const lines: Series[] = largest.map(([name, group]) => {
    const values = numbersOf(group);
    const known = places.map((place) => values.get(place) ?? null);
    const scale = kind === 'micros' ? 1e6 : 1;
    return {
      name: cutText(name, 80),
      values: known.map((value) => number(value, scale)),
      texts: known.map((value) => amountWords(value, kind, currency)),
      bars: choice.kind === 'bar' || choice.kind === 'stacked',
    };
  });
  const isStacked = choice.kind === 'stacked' && !lines.some(({ values }) => values.some((value = 0) => value < 0));
  const first = places[0] ?? '';
  const last = places.at(-1) ?? '';
  const notes = [
    hasDays ? `From ${first} to ${last}, ${places.length} values.` : `${places.length} values of ${x}.`,
    places.length < all.length && `The chart leaves out ${all.length - places.length} others.`,
    largest.length < groups.size && `It shows the largest ${largest.length} of ${groups.size} series.`,
    hasDays && wholeWords(explored.columns, rows, at.x, places),
    choice.kind === 'stacked' && !isStacked && 'Bars below zero cannot be stacked.',
  ];
  const drawing = {
    title: `${y} by ${x}${series === undefined ? '' : groups.size > 1 ? ` and ${series}` : `: ${lines[0]?.name}`}`,
    summary: notes.filter((note) => note !== false).join(' '),
    unit: (kind === 'micros' || kind === 'units') && currency !== undefined ? currency : '',
    series: isStacked ? stacked(lines) : lines,
    table: html`<p>The numbers are in the table “${caption}”.</p>`,
  };
  const isDaily = hasDays && daysBetween(civilDate(first), civilDate(last)) + 1 === places.length;
  // Bars of weeks would be as narrow as a day.
  if (hasDays && (isDaily || lines.every(({ bars }) => bars !== true)))
    return dayChart({ ...drawing, x: places.map(civilDate) });
  const nameOf = (place: string) => (hasDays ? shortDay(civilDate(place)) : cutText(place, NAME_MAX));
  return chart({ ...drawing, x: places.map(nameOf) });
}

/** From the column `complete`. Without it, the first and the last week or month may be parts. */
function wholeWords(columns: readonly string[], rows: Rows, x: number, places: readonly string[]): string | false {
  const complete = columns.indexOf('complete');
  if (complete >= 0) {
    const lacking = rows.filter((row) => drawnNumber(row[complete]) === 0).map((row) => textOf(row[x]));
    const partial = places.filter((place) => lacking.includes(place));
    return partial.length > 0 && `Not whole: ${listed(partial.slice(-PARTIAL_MAX))}.`;
  }
  const days = places.flatMap((place) => parseCivilDate(place) ?? []);
  const grain = (['month', 'week'] as const).find((one) => days.every((day) => startOfGrain(one, day) === day));
  return days.length > 1 && grain !== undefined && `The first and the last ${grain} may not be whole.`;
}

function number(value: ExploredValue, scale: number): number | undefined {
  const drawn = drawnNumber(value);
  return drawn === undefined ? undefined : drawn / scale;
}

function amountWords(value: ExploredValue, kind: ReturnType<KnownMoney['kindOf']>, currency: string | undefined) {
  const shown = shownValue(value);
  if (shown === undefined) return undefined;
  if (kind === undefined || kind === 'none') return String(shown);
  const isWhole = kind === 'micros' && typeof value === 'object' && value !== null && 'integer' in value;
  if (isWhole) return costText(BigInt(value.integer), currency);
  return kind === 'micros' ? `${shown} micros ${currency ?? ''}`.trim() : `${shown} ${currency ?? ''}`.trim();
}

/** Each bar stands on the bars of the series before. */
function stacked(lines: readonly Series[]): Series[] {
  const tops = lines[0]?.values.map(() => 0) ?? [];
  return lines.map((line) => {
    const feet = [...tops];
    for (const [index, value = 0] of line.values.entries()) tops[index] = (tops[index] ?? 0) + value;
    return { ...line, feet };
  });
}

function chooser(
  { explored: { columns }, kept }: ChartRequest,
  numeric: readonly string[],
  now: ChartChoice,
  own: ReadonlyMap<string, Rows> | undefined,
): Html {
  const choose = (name: keyof ChartChoice, words: string, values: readonly string[]) => {
    const chosen = now[name] ?? '';
    const options = values.map(
      (value) =>
        html`<option value="${value}"${value === chosen && ' selected'}>${cutText(value || 'none', NAME_MAX * 2)}</option>`,
    );
    return html`<label>${words} <select name="${name}">${options}</select></label>`;
  };
  const series = choose('series', 'Series', ['', ...columns]);
  const currency = own && own.size > 1 && choose('currency', 'Currency', [...own.keys()]);
  return html`<form class="choose" method="get" action="${linkFrom(path, path)}" aria-label="Chart">${kept}
${choose('x', 'x', columns)}${choose('y', 'y', numeric)}${series}${choose('kind', 'Kind', CHART_KINDS)}${currency}
<button type="submit">Draw</button></form>`;
}
