import { daysOf } from '../../domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../domain/ids.ts';
import { PAGES } from '../../domain/pages.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import type { StateApp } from '../../engine/app.ts';
import { chart } from '../../views/html/chart/chart.ts';
import { dayChart } from '../../views/html/chart/day-chart.ts';
import { smallChart } from '../../views/html/chart/small-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import {
  account,
  amountChange,
  badge,
  budgetLink,
  emptyState,
  facts,
  figures,
  fold,
  instant,
  section,
} from '../../views/html/parts.ts';
import { aside, named, numbers, table, words } from '../../views/html/table.ts';
import { SCALES, THEMES } from '../../views/html/tokens.ts';
import { drawnMoney } from '../../views/html/wording.ts';
import { actCard, actLink } from '../inbox/act-page.ts';
import { FREEZE } from '../inbox/acts.ts';
import { card, cards } from '../inbox/inbox-page.ts';
import { frozenNotice, stateFrame } from './frame.ts';
import { filterForm, readyRanges } from './page-filter.ts';

const { path } = PAGES.kit;

const CUSTOMER = customerId('1234567890');
const NAME = 'Northwind Shoes';
const BUDGET = {
  customerId: CUSTOMER,
  budgetId: budgetId('77'),
  campaignId: campaignId('21'),
  campaignName: 'Trail Shoes',
};
const NOON = '2026-11-14T12:00:00Z';
const DAYS = daysOf({ from: civilDate('2026-11-01'), to: civilDate('2026-11-14') });
const SPEND = [52n, 58n, 49n, 61n, 60n, 57n, undefined, 55n, 63n, 66n, 48n, 47n, 51n, 44n].map(
  (units) => units && units * 1_000_000n,
);
const DAILY = DAYS.map((_, day) => (day < 10 ? 60_000_000n : 51_000_000n));
const SPENT = { name: 'spend', ...drawnMoney(SPEND, 'EUR') };

/** Every component of the pages, made by the functions of the pages from made-up facts. Photographs of it show changes. */
export function kitPage(app: StateApp): Promise<string> {
  const filter = {
    from: DAYS[0],
    to: DAYS[13],
    customers: [CUSTOMER],
    campaigns: [],
    ignored: ['2026-13-01'],
    notes: [],
  };
  return stateFrame(app, {
    path,
    title: 'Kit',
    filter: filterForm({
      path,
      filter,
      fields: ['days', 'customer', 'campaign'],
      accounts: [{ customerId: CUSTOMER, name: NAME }],
      ranges: readyRanges(DAYS[13]),
    }),
    body: html`${tokens()}${texts()}${answers()}${surfaces()}${acts()}`,
  });
}

function tokens(): Html {
  const colours = Object.keys(THEMES.light).map(
    (name) =>
      html`<li>${drawn(html`<rect width="84" height="26" rx="4" fill="var(--${name})" stroke="var(--line)"/>`)}${name}</li>`,
  );
  const { font, mono, ...sizes } = SCALES;
  const scales = Object.entries(sizes).map(([name, size]) => [`${name} ${size}`, drawn(shapeOf(name, size))] as const);
  return html`${section('Colours', html`<ul class="line">${colours}</ul>`)}${section('Type, spaces, radii', facts(scales))}`;
}

function shapeOf(name: string, size: string): Html {
  if (name.startsWith('t-')) return html`<text y="22" font-size="${size}" fill="var(--text)">60.00 EUR</text>`;
  if (name.startsWith('r')) return html`<rect width="84" height="26" rx="${size}" fill="var(--accent-soft)"/>`;
  return html`<rect width="${size}" height="26" fill="var(--accent-soft)"/>`;
}

const drawn = (shape: Html) => html`<svg class="small" aria-hidden="true">${shape}</svg>`;

function texts(): Html {
  const tones = ['good', 'waits', 'bad', 'plain', 'acts'] as const;
  const entries = facts([
    ['Account', account(CUSTOMER, NAME, path)],
    ['Budget', budgetLink(path, BUDGET)],
    ['Change', amountChange(60_000_000n, 51_000_000n, 'EUR')],
    ['Instant', instant(NOON)],
    ['Long name', named(`${NAME} `.repeat(9))],
    ['Other direction', aside('שלום')],
    ['Code', html`<code>pacekeeper report</code>`],
  ]);
  return html`<p class="find">A finding: on course for <strong>1,926 EUR</strong>, <strong class="bad">7% over</strong>.</p>
<p class="scope">The scope of the finding. <span class="good">Good</span>, <span class="warn">warning</span>, <span class="bad">bad</span>.</p>
${section('Texts', html`<p class="note">A note.</p>${entries}`)}${section(
  'Badges',
  html`<p class="ways">${tones.map((tone) => badge([tone, tone] as Parameters<typeof badge>[0]))}</p>`,
)}`;
}

function answers(): Html {
  const small = smallChart({ title: 'Spend', summary: 'Lower since 11 November.', series: [SPENT] });
  const budget = { name: 'budget', ...drawnMoney(DAILY, 'EUR'), stepped: true, dashed: true };
  const mark = { index: 10, words: 'B12, 51.00 EUR', label: 'B12', href: '#figures' };
  const rows = ['Trail Shoes', 'Road Shoes', undefined].map((name, row) => [
    name,
    html`${60 - row} EUR<br><span class="note">note</span>`,
    row === 1 ? undefined : small,
    badge(['done', 'good']),
    'A long text stands below its row where the table is narrow, and it wraps where it is wide.',
  ]);
  const columns = [...words('Name'), ...numbers('Spend'), ...words('Course', 'State'), { title: 'Why', long: true }];
  const listed = table({ caption: 'A table', columns, rows, foot: [['Sum', '177 EUR', '', '', '']] });
  return html`${figures([
    { label: 'Spend', value: html`711 <small>EUR</small>`, note: '−8.3% to the days before' },
    { label: 'Course', value: small },
    { label: 'Daily budget', value: amountChange(60_000_000n, 51_000_000n, 'EUR') },
  ])}${section('Table', html`${listed}${table({ caption: 'An empty table', columns, rows: [] })}`)}${section(
    'Charts',
    html`${dayChart({
      title: 'Spend per day',
      summary: 'Complete days. Rings mark budget changes.',
      unit: 'EUR',
      x: DAYS,
      series: [
        { ...SPENT, marks: [mark], end: { value: '44', word: 'spend' } },
        { ...budget, end: { value: '51', word: 'budget' } },
      ],
    })}${chart({
      title: 'Spend by weekday',
      summary: 'Two kinds of bars.',
      unit: 'EUR',
      x: ['Monday', 'Tuesday', 'Wednesday'],
      series: [
        { name: 'this week', values: [52, 58, 49], bars: true },
        { name: 'last week', values: [61, 60, 57], bars: true },
      ],
      table: listed,
    })}`,
  )}`;
}

function surfaces(): Html {
  const alert = { act: 'acknowledge', on: 'A7' } as const;
  return html`${frozenNotice(path, { why: 'frozen by anna since 2026-11-14 12:00 UTC: budget review', isLiftable: true })}<p class="problem">A problem.</p>
${emptyState('An empty state.', html`Run <code>pacekeeper report</code>.`)}${section(
  'Cards',
  cards([
    card({
      id: 'A7',
      head: named('busy'),
      change: amountChange(60_000_000n, 51_000_000n, 'EUR'),
      text: '120 clicks',
      notes: [account(CUSTOMER, NAME, path), html`since ${instant(NOON)}`],
      acts: [actLink('approver', alert), actLink('approver', { act: 'undo', on: 'B12' }, true)],
    }),
  ]),
)}${fold({ id: 'fold', title: 'A fold' }, html`<p>Its content.</p>`)}${section(
  'Code',
  html`<pre class="output" tabindex="0" aria-label="Output">Budgets are frozen.</pre><p class="log">clicks 120 >= 100</p>`,
)}`;
}

/** Shown as the pages show it. Its form sends no proof, so the server refuses it. */
function acts(): Html {
  const effect = { kind: 'possible', ...FREEZE, body: html`<p>Reading and alerts continue.</p>`, seen: '' } as const;
  return actCard({ act: 'freeze', on: '' }, effect, '');
}
