import { isWholeMonth, minuteText } from '../domain/civil-date.ts';
import { modeWords } from '../domain/frozen.ts';
import { roundHalfAway } from '../domain/rational.ts';
import { grouped } from '../domain/wording.ts';
import type { PacingResult, PacingTarget } from '../language/results/report-result.ts';
import { LEARNED_MIN } from '../language/rules/pacing/curve.ts';
import { chart } from '../views/html/charts.ts';
import { document } from '../views/html/document.ts';
import { type Html, html } from '../views/html/html.ts';
import { badge } from '../views/html/parts.ts';
import { aside, numbers, table, words } from '../views/html/table.ts';
import { amountText, costText, counted, drawnAmount, monthText, shortDay } from '../views/html/wording.ts';
import { htmlTable } from '../views/kit/html.ts';
import { sheetOf } from '../views/kit/sheet.ts';
import { dayWords, PACE_COLUMNS, shownTargets } from '../views/pacing.ts';
import { byNeed, paceSeries } from '../views/pacing-chart.ts';
import {
  besideWords,
  decisionLines,
  isPacedNow,
  PACE_WORDS,
  paceDays,
  whySentence,
  worstCases,
} from '../views/report/pacing-words.ts';
import { NOTHING_READ } from '../views/text/text-layout.ts';

const CHARTS_MAX = 40;
const NAMES_MAX = 20;

export function pacingDocument(result: PacingResult): string {
  return document({
    title: 'pacekeeper pacing',
    frozen: result.frozen,
    description: 'Each target: spent, ideal, projected, the budgets it needs, and the reason.',
    body: html`<h1>Pacing: targets</h1>
<dl class="facts">
<dt>Evaluated</dt><dd><time datetime="${result.evaluatedAt}">${minuteText(result.evaluatedAt)}</time>, read-only</dd>
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
  const ranked = byNeed(targets).slice(0, CHARTS_MAX);
  const drawn = targets.filter((target) => ranked.includes(target));
  const left = rules.filter(({ notEvaluated }) => notEvaluated !== undefined);
  return html`<section aria-labelledby="targets">
<h2 id="targets">Targets</h2>
${htmlTable(sheetOf(PACE_COLUMNS, shownTargets({ targets, accounts }), 'people'), {
  caption: 'Targets of pacing rules',
  none: 'none. No pacing rule covers these accounts.',
})}${worstCases(targets, nameOf).map((sentence) => html`<p class="note">${sentence}</p>\n`)}${
  left.length > 0 &&
  html`<ul>${grouped(left, ({ rule, notEvaluated }) => `${rule}\n${notEvaluated}`).map((own) => leftOut(own, nameOf))}</ul>\n`
}</section>
${grouped(drawn, ({ customerId }) => customerId).map((own) => accountSection(own, nameOf))}${
  targets.length > drawn.length &&
  html`<p class="note">Without a chart: ${counted(targets.length - drawn.length, 'target')}. Targets with a change come first. Use --campaign to draw one.</p>\n`
}${method()}`;
}

function leftOut(own: PacingResult['rules'], nameOf: (id: string) => string): Html {
  const names = own
    .slice(0, NAMES_MAX)
    .map(({ customerId }, index) => html`${index > 0 && ', '}${aside(nameOf(customerId))}`);
  const more = own.length - names.length;
  return html`<li>${own[0]?.rule} was not evaluated for ${names}${more > 0 && ` and ${more} more`}: ${own[0]?.notEvaluated}</li>`;
}

function accountSection(own: readonly PacingTarget[], nameOf: (id: string) => string): Html {
  const [first] = own;
  if (first === undefined) return html``;
  const { customerId, currency } = first;
  return html`<section aria-labelledby="a${customerId}">
<h2 id="a${customerId}">${aside(nameOf(customerId))}</h2>
<p class="muted">Account ${customerId}, ${currency ?? 'currency unknown'}.</p>
${own.map(targetPart)}</section>
`;
}

function targetPart(one: PacingTarget): Html {
  const { reading, subject, rule, currency } = one;
  const lines = [...besideWords(one), ...decisionLines(one)];
  return html`<h3>${aside(subject)}</h3>
<p><span class="note">Rule ${rule}, ${periodText(one)}:</span> ${badge(PACE_WORDS[reading.state])}. ${whySentence(reading)}</p>
${lines.length > 0 && html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>\n`}${isPacedNow(reading) && pictureOf(one, currency)}`;
}

function periodText({ reading: { per, period } }: PacingTarget): string {
  const { from, to } = period;
  if (isWholeMonth(period)) return monthText(from);
  const days = `${from} to ${to}, ${dayWords(per, period)}`;
  return per === 'flight' ? days : `${monthText(from)} (${days})`;
}

function pictureOf(one: PacingTarget, currency: string | undefined): Html {
  const { reading } = one;
  const days = paceDays(reading);
  const target = roundHalfAway(reading.target);
  return chart({
    title: `${reading.per === 'flight' ? periodText(one) : monthText(reading.period.from)}, cumulative`,
    summary: `Spent${reading.newestSettled === undefined ? '' : ` until ${reading.newestSettled}`}: ${costText(roundHalfAway(reading.spent), currency)}. Ideal to date: ${costText(roundHalfAway(reading.idealToDate), currency)}. Projected: ${costText(roundHalfAway(reading.projected), currency)}. Target: ${costText(target, currency)}. The daily ideal ${curveWords(reading.curve)}.`,
    kind: 'line',
    wide: true,
    unit: currency ?? '',
    x: days.map(({ date }) => shortDay(date)),
    series: [...paceSeries(days), { name: 'target', values: days.map(() => drawnAmount(target)), dashed: true }],
    table: table({
      caption: 'By day, cumulative',
      columns: [...words('Until'), ...numbers('Cost per day', 'Spent', 'Ideal', 'Projected')],
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
  weekday: 'follows recent costs by weekday',
  early: 'falls from day to day',
  late: 'rises from day to day',
  custom: 'follows the rule’s curve',
} as const;

function curveWords({ kind, learnedFrom }: PacingTarget['reading']['curve']): string {
  if (kind !== 'weekday' || learnedFrom === undefined || learnedFrom >= LEARNED_MIN) return CURVES[kind];
  return `is the same for each day. Days with costs: ${learnedFrom} of the last 28. A weekday curve needs ${LEARNED_MIN}`;
}

function method(): Html {
  return html`<section aria-labelledby="method">
<h2 id="method">Method</h2>
<ul>
<li>Target: the rule’s amount for the month or flight, plus rollover from earlier months. A rule that starts or ends mid-month gets a share.</li>
<li>Spent: the cost of the complete days.</li>
<li>Ideal to date: the target’s share for the days before today, by the curve.</li>
<li>Projected: spent, plus the recent weekday cost of each other day, at most its budget. The line to the last day follows the curve.</li>
<li>Should be: the budgets that the rules ask for today, after every limit and guard. This page changes nothing.</li>
</ul>
</section>
`;
}
