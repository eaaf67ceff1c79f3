import { addDays, type CivilDate, type DateRange, daysBetween, monthStart } from '../../domain/civil-date.ts';
import { type CustomerId, campaignId, customerId, isId } from '../../domain/ids.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { linkFrom } from '../../domain/pages.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { unknownAccounts } from '../../engine/accounts/unknown-names.ts';
import type { StateApp } from '../../engine/app.ts';
import { withPublished } from '../../engine/with-published.ts';
import { type Html, html } from '../../views/html/html.ts';
import { line } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import { counted, rangeText, shortDay } from '../../views/html/wording.ts';
import { shownCsv } from '../../views/kit/rows.ts';
import type { Sheet } from '../../views/kit/sheet.ts';
import { shownWorkbook } from '../../views/kit/workbook.ts';
import type { ReportFilter } from '../report/report-filter.ts';
import { comparisonFields, comparisonQuery, keptComparison, readComparison } from './comparison-control.ts';
import type { Download, FileFormat } from './page-source.ts';

/** The restrictions in the address. */
export interface PageFilter extends ReportFilter {
  /** A part of campaigns' names, instead of ids. */
  readonly campaignName?: string;
  /** Values that are no dates, ids or known campaigns. They restrict nothing. */
  readonly ignored: readonly string[];
  /** Restrictions of one page, by the name in the address. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Sentences about values that were understood otherwise than written. */
  readonly notes: readonly string[];
}

/** Texts of an address. Several ids are separated by commas, or their names are repeated. */
export function readFilter(query: URLSearchParams): PageFilter {
  const texts = (name: string) =>
    query
      .getAll(name)
      .flatMap((text) => text.split(/[\s,]+/))
      .filter((text) => text !== '');
  const ids = (name: string) => [...new Set(texts(name).map((text) => text.replaceAll('-', '')))];
  const customers = ids('customer');
  const campaignText = query.getAll('campaign').join(' ').trim();
  const isName = /[^\d\s,-]/.test(campaignText);
  const campaigns = isName ? [] : ids('campaign');
  const wrongIds = [...customers, ...campaigns].filter((text) => !isId(text));
  const fromText = texts('from')[0] ?? '';
  const toText = texts('to')[0] ?? '';
  const from = parseCivilDate(fromText);
  const to = parseCivilDate(toText);
  const isReversed = from !== undefined && to !== undefined && from > to;
  const isWrong = (text: string, day: CivilDate | undefined) => text !== '' && day === undefined;
  const ignored: string[] = [];
  if (isWrong(fromText, from)) ignored.push(fromText);
  if (isWrong(toText, to)) ignored.push(toText);
  const compared = readComparison(query);
  ignored.push(...wrongIds, ...compared.ignored);
  const order = isReversed ? [`The days were in the wrong order. Shown: ${rangeText({ from: to, to: from })}.`] : [];
  return {
    from: isReversed ? to : from,
    to: isReversed ? from : to,
    customers: customers.filter(isId).map(customerId),
    campaigns: campaigns.filter(isId).map(campaignId),
    ...(isName && { campaignName: campaignText }),
    comparison: compared.comparison,
    ignored,
    notes: [...order, ...compared.notes],
  };
}

/** Reads the filter, and replaces a part of campaigns' names by their ids. `customer` is that of a page of one account. */
export async function chosenFilter(app: StateApp, query: URLSearchParams, customer?: CustomerId): Promise<PageFilter> {
  const { campaignName, ...read } = readFilter(query);
  const filter = customer === undefined ? read : { ...read, customers: [customer] };
  if (campaignName === undefined) return filter;
  const found = await withPublished(app, async (file) =>
    file?.campaignsNamed(campaignName, filter.customers, NAMED_MAX + 1),
  );
  if (found === undefined || found.length === 0) return { ...filter, ignored: [...filter.ignored, campaignName] };
  const campaigns = found.slice(0, NAMED_MAX);
  const many = found.length > NAMED_MAX ? `The first ${NAMED_MAX}` : found.length;
  const words = found.length === 1 ? '1 campaign has' : `${many} campaigns have`;
  return { ...filter, campaigns, notes: [...filter.notes, `${words} “${campaignName}” in the name.`] };
}

const NAMED_MAX = 100;

/** The query of an address, such as `?from=2026-11-01&customer=123`. Empty without restrictions. */
export function filterQuery(
  { from, to, customers, campaigns, comparison, choices }: Partial<PageFilter>,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams();
  if (from !== undefined) query.set('from', from);
  if (to !== undefined) query.set('to', to);
  if (customers !== undefined && customers.length > 0) query.set('customer', customers.join());
  if (campaigns !== undefined && campaigns.length > 0) query.set('campaign', campaigns.join());
  const others = { ...comparisonQuery(comparison), ...choices, ...more };
  for (const [name, value] of Object.entries(others)) query.set(name, value);
  const text = String(query).replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

/** The addresses of the {@link Download} of a page. */
export function fileLinks(here: string, filter: Partial<PageFilter>): Html {
  const link = (format: FileFormat, words: string) =>
    html`<a href="${linkFrom(here, here)}${filterQuery(filter, { format })}">${words}</a>`;
  return html`${link('csv', 'CSV')}${link('xlsx', 'Excel')}`;
}

export function fileFormat(query: URLSearchParams): FileFormat | undefined {
  const format = query.get('format');
  return format === 'csv' || format === 'xlsx' ? format : undefined;
}

/** A table as people see it. */
export function shownFile(format: FileFormat, name: string, sheet: Sheet): Download {
  return { name, format, content: format === 'csv' ? shownCsv(sheet) : shownWorkbook(name, sheet) };
}

/** A comparison restricts nothing. */
export function isRestricted(filter: PageFilter): boolean {
  return filterQuery({ ...filter, comparison: undefined }) !== '';
}

export function isChosen({ customers }: Pick<PageFilter, 'customers'>, customer: CustomerId | undefined): boolean {
  return customers.length === 0 || (customer !== undefined && customers.includes(customer));
}

/** True if the day, or the day (UTC) of the instant, is in the range. */
export function isInRange({ from, to }: Pick<PageFilter, 'from' | 'to'>, at: string): boolean {
  const day = at.slice(0, 10);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}

/** Ready ranges, by the newest complete day. */
export function readyRanges(newest: CivilDate | undefined): readonly ReadyRange[] {
  if (newest === undefined) return [];
  const month = monthStart(newest);
  const days = [7, 28, 90].map((count) => ({
    words: `Last ${count} days`,
    range: { from: addDays(newest, 1 - count), to: newest },
  }));
  const last = addDays(month, -1);
  return [
    { words: 'This month', range: { from: month, to: newest } },
    { words: 'Last month', range: { from: monthStart(last), to: last } },
    ...days,
  ];
}

interface ReadyRange {
  readonly words: string;
  readonly range: DateRange;
}

export type FilterField = 'days' | 'compare' | 'customer' | 'campaign';

interface FilterForm {
  readonly path: string;
  readonly filter: PageFilter;
  readonly fields: readonly FilterField[];
  readonly accounts: readonly { readonly customerId: CustomerId; readonly name: string | undefined }[];
  /** Ready ranges, such as the current month. */
  readonly ranges?: readonly ReadyRange[];
  readonly choices?: readonly Choice[];
}

/** One of several values. */
export interface Choice {
  readonly name: string;
  readonly label: string;
  /** The words for no restriction. */
  readonly all: string;
  readonly values: readonly (readonly [value: string, words: string])[];
}

/** With more accounts, the person types ids instead of choosing from a list. */
const LISTED_MAX = 200;

/** The restrictions as one control. Its form works without scripts: its values go to the address. */
export function filterForm({ path, filter, fields, accounts, ranges = [], choices = [] }: FilterForm): Html {
  const { from, to, customers, campaigns, comparison, ignored, notes } = filter;
  const [chosen] = customers;
  const unknown = fields.includes('customer') ? unknownAccounts(customers, accounts) : undefined;
  const options = accounts.map(
    ({ customerId: id, name }) => html`<option value="${id}"${id === chosen && html` selected`}>${name ?? id}</option>`,
  );
  const isList = accounts.length <= LISTED_MAX && customers.length < 2 && unknown === undefined;
  const account = isList
    ? html`<select name="customer"><option value="">All accounts</option>${options}</select>`
    : html`<input type="text" name="customer" value="${customers.join(', ')}" placeholder="All accounts: type ids" inputmode="numeric">`;
  const here = linkFrom(path, path);
  const ready = ranges.map(
    ({ words, range }) => html`<li><a href="${here}${filterQuery({ ...filter, ...range })}">${words}</a></li>`,
  );
  return html`${from !== undefined && to !== undefined && steps(here, filter, { from, to })}<details class="filter"><summary>${filterWords(filter, accounts, choices)}</summary>
<form method="get" action="${here}" aria-label="Filter">
${fields.includes('days') && html`<label>From <input type="date" name="from" value="${from ?? ''}"></label><label>To <input type="date" name="to" value="${to ?? ''}"></label>`}
${ready.length > 0 && html`<ul class="ranges" aria-label="Ranges">${ready}</ul>`}
${fields.includes('compare') ? comparisonFields(comparison) : keptComparison(comparison)}
${fields.includes('customer') && html`<label class="whole">Account ${account}</label>`}
${fields.includes('campaign') && html`<label class="whole">Campaign <input type="text" name="campaign" value="${campaigns.join(', ')}" placeholder="Name or ids"></label>`}
${choices.map((choice) => chooser(choice, filter.choices?.[choice.name]))}
<p class="ways"><button type="submit" class="primary">Show</button>${filterQuery(filter) !== '' && html`<a href="${here}">Show all</a>`}</p>
</form></details>
${notes.map((note) => html`<p class="note" role="status">${line(note)}</p>`)}
${unknown !== undefined && html`<p class="problem" role="alert">${line(unknown)}</p>`}${ignored.length > 0 && html`<p class="problem" role="alert">Ignored: ${ignored.map((text, index) => html`${index > 0 && ', '}${named(text)}`)}. Dates look like 2026-11-30, ids have only digits, comparisons are previous, year or none, and no known campaign has such a name.</p>`}`;
}

function chooser({ name, label, all, values }: Choice, chosen: string | undefined): Html {
  const isKnown = chosen === undefined || values.some(([value]) => value === chosen);
  const listed = isKnown ? values : [...values, [chosen, chosen] as const];
  const options = listed.map(
    ([value, words]) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${shortLine(words, OPTION_MAX)}</option>`,
  );
  const field =
    listed.length <= LISTED_MAX
      ? html`<select name="${name}"><option value="">${all}</option>${options}</select>`
      : html`<input type="text" name="${name}" value="${chosen ?? ''}" placeholder="${all}: type a name">`;
  return html`<label class="whole">${label} ${field}</label>`;
}

const OPTION_MAX = 80;

/** The equally long ranges before and after. */
function steps(here: string, filter: PageFilter, { from, to }: DateRange): Html {
  const days = daysBetween(from, to) + 1;
  const link = (offset: number, mark: string, words: string) =>
    html`<a href="${here}${filterQuery({ ...filter, from: addDays(from, offset), to: addDays(to, offset) })}" aria-label="${words}">${mark}</a>`;
  return html`<span class="steps">${link(-days, '‹', 'Earlier')}${link(days, '›', 'Later')}</span>`;
}

/** The restrictions in words, such as "1 Nov – 27 Nov, 2 accounts". */
function filterWords(
  { from, to, customers, campaigns, comparison, choices: chosen = {} }: PageFilter,
  accounts: FilterForm['accounts'],
  choices: readonly Choice[],
): Html | string {
  const [customer] = customers;
  const name = accounts.find(({ customerId: id }) => id === customer)?.name ?? customer;
  const parts = [
    ...(from === undefined && to === undefined ? [] : [[from && shortDay(from), to && shortDay(to)].join(' – ')]),
    ...(customer === undefined
      ? []
      : [customers.length === 1 ? shortLine(name ?? '', NAME_MAX) : counted(customers.length, 'account')]),
    ...(campaigns.length === 0 ? [] : [counted(campaigns.length, 'campaign')]),
    ...choices.flatMap(({ name: of, values }) => {
      const value = chosen[of];
      const [, words = value] = values.find(([one]) => one === value) ?? [];
      return words === undefined ? [] : [shortLine(words, NAME_MAX)];
    }),
    ...(comparison === undefined ? [] : [comparison.kind === 'none' ? 'not compared' : 'compared']),
  ];
  return parts.length === 0 ? 'Filter' : html`<bdi>${parts.join(', ')}</bdi>`;
}

const NAME_MAX = 30;
