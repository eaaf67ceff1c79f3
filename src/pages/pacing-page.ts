import { isWholeMonth, minuteText } from '../domain/civil-date.ts';
import { modeWords } from '../domain/frozen.ts';
import { roundHalfAway } from '../domain/rational.ts';
import { grouped } from '../domain/wording.ts';
import { chart } from '../html/charts.ts';
import { document } from '../html/document.ts';
import { type Html, html } from '../html/html.ts';
import { badge } from '../html/parts.ts';
import { aside, numbers, table, words } from '../html/table.ts';
import { amountText, costText, counted, drawnAmount, monthText, shortDay } from '../html/wording.ts';
import type { PacingResult, PacingTarget } from '../results/report-result.ts';
import { LEARNED_MIN } from '../rules/pacing/curve.ts';
import { NOTHING_READ } from '../text/text-layout.ts';
import { htmlTable } from '../views/kit/html.ts';
import { sheetOf } from '../views/kit/sheet.ts';
import { PACE_COLUMNS, shareOfMonth, shownTargets } from '../views/pacing.ts';
import {
  besideWords,
  decisionLines,
  isPacedNow,
  PACE_WORDS,
  paceDays,
  whySentence,
  worstCases,
} from '../views/report/pacing-words.ts';

const CHARTS_MAX = 40;
const NAMES_MAX = 20;

export function pacingDocument(result: PacingResult): string {
  return document({
    title: 'pacekeeper pacing',
    frozen: result.frozen,
    description: 'Each target of the month: spent, ideal, projected, what budgets should be and why.',
    body: html`<h1>Pacing: the month’s targets</h1>
<dl class="facts">
<dt>Looked at</dt><dd><time datetime="${result.evaluatedAt}">${minuteText(result.evaluatedAt)}</time>; nothing was changed</dd>
<dt>Service</dt><dd>${result.target}</dd>
<dt>Mode</dt><dd>${modeWords(result.mode, result.frozen)}</dd>
</dl>
${notices(result)}${result.unread ? html`<p class="none">${NOTHING_READ}</p>\n` : content(result)}`,
  });
}

function notices({ failures, notes, example }: PacingResult): Html {
  return html`${
    failures.length > 0 &&
    html`<div class="notice serious"><p><strong>Failed:</strong></p><ul>${failures.map((failure) => html`<li>${failure}</li>`)}</ul></div>\n`
  }${notes.length > 0 && html`<div class="notice">${notes.map((note) => html`<p>${note}</p>`)}</div>\n`}${example !== undefined && html`<pre>${example}</pre>\n`}`;
}

function content({ targets, accounts, rules }: PacingResult): Html {
  const nameOf = (id: string) => accounts.find(({ customerId }) => customerId === id)?.name ?? id;
  // If there are too many charts, draw targets that ask for a change.
  const ranked = targets.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, CHARTS_MAX);
  const drawn = targets.filter((target) => ranked.includes(target));
  const left = rules.filter(({ notEvaluated }) => notEvaluated !== undefined);
  return html`<section aria-labelledby="targets">
<h2 id="targets">Targets</h2>
${htmlTable(sheetOf(PACE_COLUMNS, shownTargets({ targets, accounts }), 'people'), {
  caption: 'Targets that rules pace budgets to',
  none: 'none: no rule that paces says anything of these accounts.',
})}${worstCases(targets, nameOf).map((sentence) => html`<p class="note">${sentence}</p>\n`)}${
  left.length > 0 &&
  html`<ul>${grouped(left, ({ rule, notEvaluated }) => `${rule}\n${notEvaluated}`).map((own) => leftOut(own, nameOf))}</ul>\n`
}</section>
${grouped(drawn, ({ customerId }) => customerId).map((own) => accountSection(own, nameOf))}${
  targets.length > drawn.length &&
  html`<p class="note">${counted(targets.length - drawn.length, 'more target')} of which no other budget is asked are in the table only; --campaign shows one of them.</p>\n`
}${method()}`;
}

function leftOut(own: PacingResult['rules'], nameOf: (id: string) => string): Html {
  const names = own
    .slice(0, NAMES_MAX)
    .map(({ customerId }, index) => html`${index > 0 && ', '}${aside(nameOf(customerId))}`);
  const more = own.length - names.length;
  return html`<li>${own[0]?.rule} was not evaluated for ${names}${more > 0 && ` and ${more} more`}: ${own[0]?.notEvaluated}</li>`;
}

const rankOf = ({ decisions }: PacingTarget): number => (decisions.length > 0 ? 0 : 1);

function accountSection(own: readonly PacingTarget[], nameOf: (id: string) => string): Html {
  const [first] = own;
  if (first === undefined) return html``;
  const { customerId, currency } = first;
  return html`<section aria-labelledby="a${customerId}">
<h2 id="a${customerId}">${aside(nameOf(customerId))}</h2>
<p class="muted">Account ${customerId}, ${currency ?? 'currency not known'}.</p>
${own.map(targetPart)}</section>
`;
}

function targetPart(one: PacingTarget): Html {
  const { reading, subject, rule, currency } = one;
  const lines = [...besideWords(one), ...decisionLines(one)];
  return html`<h3>${aside(subject)}</h3>
<p><span class="note">Rule ${rule}, ${monthText(reading.month.from)}${partWords(one)}:</span> ${badge(PACE_WORDS[reading.state])}. ${whySentence(reading)}</p>
${lines.length > 0 && html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>\n`}${isPacedNow(reading) && pictureOf(one, currency)}`;
}

function partWords({ reading: { month } }: PacingTarget): string {
  return isWholeMonth(month) ? '' : ` (${month.from} to ${month.to}, ${shareOfMonth(month)})`;
}

function pictureOf({ reading }: PacingTarget, currency: string | undefined): Html {
  const days = paceDays(reading);
  const target = roundHalfAway(reading.target);
  const isOpen = days.some(({ projectedSum }) => projectedSum !== undefined);
  return chart({
    title: `${monthText(reading.month.from)}, added up`,
    summary: `${costText(roundHalfAway(reading.spent), currency)} spent${reading.newestSettled === undefined ? '' : ` until ${reading.newestSettled}`}, ${costText(roundHalfAway(reading.idealToDate), currency)} ideal to date, ${costText(roundHalfAway(reading.projected), currency)} expected at the month’s end of a target of ${costText(target, currency)}. The ideal ${curveWords(reading.curve)}.`,
    kind: 'line',
    wide: true,
    unit: currency ?? '',
    x: days.map(({ date }) => shortDay(date)),
    series: [
      { name: 'spent', values: days.map(({ spentSum }) => drawnAmount(spentSum)) },
      { name: 'ideal', values: days.map(({ idealSum }) => drawnAmount(idealSum)), dashed: true },
      ...(isOpen
        ? [{ name: 'projected', values: days.map(({ projectedSum }) => drawnAmount(projectedSum)), dashed: true }]
        : []),
      { name: 'target', values: days.map(() => drawnAmount(target)), dashed: true },
    ],
    table: table({
      caption: 'Day by day, added up',
      columns: [...words('Until'), ...numbers('Cost of the day', 'Spent', 'Ideal', 'Projected')],
      rows: days.map(({ date, cost, spentSum, idealSum, projectedSum }) => [
        html`<span class="day">${date}</span>`,
        costText(cost, currency),
        costText(spentSum, currency),
        costText(idealSum, currency),
        costText(projectedSum, currency),
      ]),
      foot: [['Target', undefined, undefined, amountText(target, currency), undefined]],
    }),
  });
}

const CURVES = {
  even: 'is the same for each day',
  weekday: 'follows what each weekday cost of late',
  custom: 'follows the curve that the rule gives',
} as const;

function curveWords({ kind, learnedFrom }: PacingTarget['reading']['curve']): string {
  if (kind !== 'weekday' || learnedFrom === undefined || learnedFrom >= LEARNED_MIN) return CURVES[kind];
  return `is the same for each day: ${learnedFrom} of the last 28 days have costs, and ${LEARNED_MIN} are needed to learn weekdays from`;
}

function method(): Html {
  return html`<section aria-labelledby="method">
<h2 id="method">How the numbers are made</h2>
<ul>
<li>Target: what the rule gives for the month, its part where the rule begins or ends within it, with what is carried over from the months before.</li>
<li>Spent: the cost of the month’s complete days. Ideal to date: the target’s share of the days before today, by the curve.</li>
<li>Projected: what was spent, and for each day that is not complete or to come what its weekday cost of late, never more than its budget. The line between today and the month’s end follows the curve.</li>
<li>Should be: what the budgets come to by what the rules ask for today, after every limit and guard. Nothing was changed for this page.</li>
</ul>
</section>
`;
}
