import type { ReportMail } from '../../domain/channel.ts';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatChangeIn, formatMoneyRoundedIn } from '../../domain/micros.ts';
import { outsideName, outsideText } from '../../domain/outside-text.ts';
import { sumOfArriving } from '../../domain/still-arriving.ts';
import { listed } from '../../domain/wording.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import { rateText } from '../../language/rules/pacing/pace-words.ts';
import { type Column, count, day, flag, id, money, number, text } from '../../storage/columns/column.ts';
import { leftOf, type RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { type Html, html } from '../html/html.ts';
import { counted, monthText, rangeText } from '../html/wording.ts';
import { csvText } from '../kit/rows.ts';
import { sheetOf } from '../kit/sheet.ts';
import { accountMonths } from './account-months.ts';
import { arrivingWords } from './arriving-words.ts';
import { COMPARED_WORDS } from './comparison.ts';
import { shortSubject } from './decision-words.ts';
import { shareOfChange, targetName } from './month-words.ts';
import { perConversion } from './pace.ts';
import type { AccountRange } from './range-columns.ts';
import { partialWords, rangeRows } from './range-rows.ts';
import type { AccountFacts, DayFacts, ReportFacts } from './report-facts.ts';
import { courseOf, sharedCourse, sharedName, sharedTargets } from './shared-targets.ts';

export interface MailOrder {
  readonly period: DateRange;
  /** Instead of the finding. `{period}` stands for the days. */
  readonly subject?: string | undefined;
  readonly greeting?: string | undefined;
  /** How figures are written. Undefined: as everywhere. */
  readonly locale?: string | undefined;
  readonly csv?: boolean;
  /** Chosen accounts that have no figures. */
  readonly missing: readonly CustomerId[];
}

interface Part {
  readonly title: string;
  /** Undefined for a list. */
  readonly head?: readonly string[];
  /** The name, then a figure for each word of the head. */
  readonly rows: readonly (readonly [name: string, ...figures: (string | undefined)[]])[];
  readonly note?: string | undefined;
}

const REASON_LENGTH_MAX = 300;
const NOTE_LENGTH_MAX = 1000;
const CURRENCIES_MAX = 3;
const NEEDS_MAX = 10;
const UNKNOWN = '–';

/** The report as one mail: the finding first, then its parts. The text and the page have the same. */
export function reportMail(facts: ReportFacts, order: MailOrder): { readonly text: string; readonly mail: ReportMail } {
  const { period, greeting, subject, missing } = order;
  const rows = rangeRows(facts.accounts, period);
  const finding = findingOf(facts, rows, order);
  const parts = [
    figuresPart(rows, facts, order),
    ...monthParts(facts, order),
    sharedPart(facts, order),
    changesPart(facts, order),
    needsPart(facts),
  ]
    .filter(({ rows: shown }) => shown.length > 0)
    .map(withoutUnknown);
  const days = rangeText(period);
  const read = facts.asOf === undefined ? '' : `, read until ${facts.asOf.slice(0, 10)}`;
  const without = missing.length === 0 ? '' : ` Not found: account ${listed(missing)}.`;
  const end = `Complete days from ${days}${read}. ${COMPARED_WORDS}${without}`;
  // The finding is the first line, because lists of alerts show only that.
  const lead = [`${finding}.`, ...(greeting === undefined ? [] : [greeting])];
  return {
    text: [...lead, ...parts.map(partText), end].join('\n\n'),
    mail: {
      subject: subject?.replaceAll('{period}', days) ?? finding,
      html: html`${greeting !== undefined && html`<p style="margin:0 0 12px">${greeting}</p>\n`}<h1 style="${HEADLINE}">${finding}.</h1>
${parts.map(partHtml)}<p style="${NOTE}">${end}</p>`.markup,
      csv: order.csv
        ? { name: `pacekeeper_${period.from}_${period.to}.csv`, text: daysCsv(facts.accounts, period) }
        : undefined,
    },
  };
}

/** Such as "Thames Bicycle Works: 10,432.22 GBP spent (+3%), 84% of the target of November spent, 3 needs wait". */
function findingOf(facts: ReportFacts, rows: readonly AccountRange[], { period, locale }: MailOrder): string {
  const { accounts, needs } = facts;
  const [only] = accounts.length === 1 ? accounts : [];
  const name = only ? nameOf(only) : counted(accounts.length, 'account');
  const { sums, isPartial } = shownSums(rows);
  const spent = sums.map((row) => {
    const change = changeOf(locale, row.costMicros, row.before?.costMicros);
    return `${moneyOf(locale, row.costMicros, row.currency)} spent${change === UNKNOWN ? '' : ` (${change})`}`;
  });
  const [month] = only ? accountMonths(facts) : [];
  const { target, spent: soFar } = month ?? {};
  const reached =
    target?.isWhole && soFar !== undefined
      ? [`${shareOf(locale, Number(soFar) / Number(target.target))} of the target of ${monthText(target.month)}`]
      : [];
  const waiting =
    needs.length === 0 ? [] : [`${counted(needs.length, 'thing')} ${needs.length === 1 ? 'needs' : 'need'} you`];
  const nothing = isPartial ? 'no sum, because currencies are unknown' : 'no complete day';
  const more = isPartial && spent.length > 0 ? ['more in other currencies'] : [];
  return `${name}, ${rangeText(period)}: ${listed([...(spent.length === 0 ? [nothing] : spent), ...more, ...reached, ...waiting])}`;
}

/** The sum of each currency, or the only account of a currency. Accounts of unknown currencies have no sum. */
function shownSums(rows: readonly AccountRange[]): {
  readonly sums: readonly AccountRange[];
  /** True if it lacks amounts. */
  readonly isPartial: boolean;
} {
  const groups = [
    ...Map.groupBy(
      rows.filter(({ complete }) => complete > 0),
      ({ currency }) => currency,
    ),
  ];
  const known = groups.flatMap(([currency, own]) => (currency === undefined && own.length > 1 ? [] : own.slice(-1)));
  const spending = known.filter(({ costMicros = 0n }) => costMicros !== 0n);
  const shown = spending.length > 0 ? spending : known;
  return {
    sums: shown.slice(0, CURRENCIES_MAX),
    isPartial: known.length < groups.length || shown.length > CURRENCIES_MAX,
  };
}

function figuresPart(
  rows: readonly AccountRange[],
  { accountsLeftOut }: ReportFacts,
  { period, locale }: MailOrder,
): Part {
  const partial = partialWords(rows);
  const arriving = sumOfArriving(rows.flatMap((row) => (row.customerId === undefined ? [] : [row.arriving])));
  const notes = [
    ...(partial === undefined ? [] : [partial]),
    ...(arriving === undefined ? [] : [arrivingWords(arriving)]),
    ...(accountsLeftOut === 0 ? [] : [`Not included: ${counted(accountsLeftOut, 'account')} with fewer clicks.`]),
  ];
  return {
    title: `Figures, ${rangeText(period)}`,
    head: ['Spend', 'Change', 'Clicks', 'Conversions', 'CPA'],
    rows: rows.map((row) => [
      outsideName(row.name),
      moneyOf(locale, row.costMicros, row.currency),
      changeOf(locale, row.costMicros, row.before?.costMicros),
      numberOf(locale, row.clicks),
      numberOf(locale, row.conversions),
      moneyOf(locale, row.converted && perConversion(row.converted), row.currency),
    ]),
    note: notes.length === 0 ? undefined : notes.join(' '),
  };
}

/** An account that was not read for long is in an earlier month than the others. */
function monthParts(facts: ReportFacts, order: MailOrder): Part[] {
  return [...Map.groupBy(accountMonths(facts), ({ month }) => month)].flatMap(([month, own]) =>
    month === undefined ? [] : monthPart(monthText(month), own, order),
  );
}

function monthPart(title: string, months: readonly AccountMonth[], { locale }: MailOrder): Part {
  return {
    title,
    head: ['Spent', 'Month end', 'Target'],
    rows: months.map((month) => [
      nameOf(month),
      moneyOf(locale, month.spent, month.currency),
      moneyOf(locale, month.monthEnd, month.currency),
      month.target?.isWhole ? moneyOf(locale, month.target.target, month.currency) : undefined,
    ]),
    note: months
      .flatMap(({ target, currency }) =>
        target === undefined || target.isWhole
          ? []
          : [
              `Target of ${outsideText(targetName(target), REASON_LENGTH_MAX)}: will end at ${moneyOf(locale, target.projected, currency)}, target ${moneyOf(locale, target.target, currency)}.`,
            ],
      )
      .join(' '),
  };
}

/** Without targets of other accounts than those of the mail, because they would show what the others spend. */
function sharedPart({ targets, range }: ReportFacts, { locale }: MailOrder): Part {
  const { customers = [] } = range ?? {};
  const isOwn = ({ members }: RunTarget) => customers.length === 0 || members.every((one) => customers.includes(one));
  const shared = sharedTargets(targets?.rows).filter(isOwn);
  const rates = new Set(shared.flatMap((row) => row.rates.map(rateText)));
  const notes = shared.flatMap((row) =>
    courseOf(row) === undefined ? [`${sharedName(row)}. ${sharedCourse(row)}.`] : [],
  );
  return {
    title: 'Targets of several accounts',
    head: ['Spent', 'Month end', 'Target', 'Left'],
    rows: shared.map((row) => {
      const money = (amount: bigint | undefined) => moneyOf(locale, amount, row.currency);
      const { spent, projected, target } = row;
      return [outsideName(sharedName(row)), money(spent), money(projected), money(target), money(leftOf(row))];
    }),
    note: outsideText(
      [...notes, ...(rates.size === 0 ? [] : [`Rates: ${[...rates].join('; ')}.`])].join(' '),
      NOTE_LENGTH_MAX,
    ),
  };
}

function changesPart({ changes, changesLeftOut, accounts }: ReportFacts, { locale }: MailOrder): Part {
  const isOne = accounts.length === 1;
  const rows = changes.flatMap((change): [string][] => {
    const { from, to, currency, accountDay, accountName } = change;
    const reason = change.reasonWithoutAmounts ?? change.reason;
    if (from === undefined || to === undefined || currency === undefined) return [];
    const where = isOne || accountName === undefined ? '' : `, ${outsideName(accountName)}`;
    const amounts = formatChangeIn(locale, from, to, currency);
    return [
      [
        `${outsideName(shortSubject(change))}${where}: ${amounts} a day, ${accountDay}. ${outsideText(reason, REASON_LENGTH_MAX)}`,
      ],
    ];
  });
  return {
    title: 'Budget changes',
    rows: rows.length === 0 ? [['No budget changed.']] : rows,
    note: changesLeftOut === 0 ? undefined : `And ${counted(changesLeftOut, 'older change')}.`,
  };
}

function needsPart({ needs }: ReportFacts): Part {
  const rows = needs.slice(0, NEEDS_MAX).map(({ words }): [string] => [outsideText(words, REASON_LENGTH_MAX)]);
  const more = needs.length - rows.length;
  return { title: 'Needs you', rows, note: more === 0 ? undefined : `And ${more} more.` };
}

/** Without figures that no row has. */
function withoutUnknown(part: Part): Part {
  const { head, rows } = part;
  if (head === undefined) return part;
  const isKnown = head.map((_, at) => rows.some((row) => (row[at + 1] ?? UNKNOWN) !== UNKNOWN));
  return {
    ...part,
    head: head.filter((_, at) => isKnown[at]),
    rows: rows.map(([name, ...figures]) => [name, ...figures.filter((_, at) => isKnown[at])]),
  };
}

function partText({ title, head, rows, note }: Part): string {
  const lines = rows.map(([name, ...figures]) => {
    if (head === undefined) return `- ${name}`;
    const known = head.flatMap((word, at) => (figures[at] === undefined ? [] : [`${word} ${figures[at]}`]));
    return `${name}\n  ${known.join(', ')}`;
  });
  return [title, ...lines, ...(note ? [note] : [])].join('\n');
}

/** Styles stand at the elements, because some mail programs drop those of the head. */
const HEADLINE = 'font-size:19px;line-height:1.35;margin:0 0 20px';
const TITLE = 'font-size:15px;margin:24px 0 6px';
const NOTE = 'font-size:13px;margin:8px 0 20px';
const TABLE = 'border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums';
const NAME = 'text-align:left;padding:10px 0 0;font-weight:600';
const HEAD = 'text-align:right;padding:0 0 2px 8px;font-size:12px;font-weight:400';
const FIGURE = 'text-align:right;padding:2px 0 8px 8px;border-bottom:1px solid #9aa0a6';

/** The name has a row of its own, so that the figures fit on a phone. */
function partHtml({ title, head, rows, note }: Part): Html {
  const shown =
    head === undefined
      ? html`<ul style="margin:0;padding:0 0 0 18px">${rows.map(([words]) => html`<li>${words}</li>`)}</ul>`
      : html`<table style="${TABLE}"><thead><tr>${head.map((word) => html`<th scope="col" style="${HEAD}">${word}</th>`)}</tr></thead><tbody>
${rows.map(
  ([name, ...figures]) => html`<tr><th scope="rowgroup" colspan="${head.length}" style="${NAME}">${name}</th></tr>
<tr>${figures.map((figure) => html`<td style="${FIGURE}">${figure ?? UNKNOWN}</td>`)}</tr>
`,
)}</tbody></table>`;
  return html`<h2 style="${TITLE}">${title}</h2>
${shown}
${note !== undefined && note !== '' && html`<p style="${NOTE}">${note}</p>\n`}`;
}

function nameOf({ name, customerId }: { readonly name: string | undefined; readonly customerId: CustomerId }): string {
  return outsideName(name ?? customerId);
}

function moneyOf(locale: string | undefined, amount: bigint | undefined, currency: string | undefined): string {
  return amount === undefined ? UNKNOWN : formatMoneyRoundedIn(locale, amount, currency);
}

function numberOf(locale: string | undefined, value: bigint | number | undefined): string {
  return value?.toLocaleString(locale ?? 'en-US', { maximumFractionDigits: 1 }) ?? UNKNOWN;
}

function changeOf(locale: string | undefined, now: bigint | undefined, before: bigint | undefined): string {
  const words = shareOfChange(now, before) ?? UNKNOWN;
  if (locale === undefined || before === undefined || before === 0n) return words;
  const change = Number(now) - Number(before);
  return shareOf(locale, change / Math.abs(Number(before)), 'exceptZero');
}

function shareOf(locale: string | undefined, share: number, signDisplay: 'auto' | 'exceptZero' = 'auto'): string {
  return share.toLocaleString(locale ?? 'en-US', { style: 'percent', maximumFractionDigits: 0, signDisplay });
}

interface AccountDay extends DayFacts {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
}

const DAY_COLUMNS: readonly Column<AccountDay>[] = [
  day('date', 'The day, in the calendar of the account.', 'date'),
  id('customer_id', 'The account.', 'customerId'),
  text('account', 'The name of the account.', 'name'),
  text('currency', 'The currency of the cost, ISO 4217.', 'currency'),
  money('cost_micros', 'The cost.', 'costMicros'),
  count('clicks', 'Clicks.', 'clicks'),
  number('conversions', 'Conversions until the last reading.', 'conversions'),
  flag('complete', 'Whether the day is complete.', ({ state }) => state === 'settled'),
];

function daysCsv(accounts: readonly AccountFacts[], { from, to }: DateRange): string {
  const isIn = (date: CivilDate) => date >= from && date <= to;
  const rows = accounts.flatMap(({ customerId, name, currency, days }) =>
    days.filter(({ date }) => isIn(date)).map((one): AccountDay => ({ ...one, customerId, name, currency })),
  );
  return csvText(sheetOf(DAY_COLUMNS, rows, 'rows'));
}
