import { daysOf } from '../../domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../domain/ids.ts';
import { PAGES } from '../../domain/pages.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import type { StateApp } from '../../engine/app.ts';
import { chart } from '../../views/html/chart/chart.ts';
import { dayChart } from '../../views/html/chart/day-chart.ts';
import { smallChart } from '../../views/html/chart/small-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import * as parts from '../../views/html/parts.ts';
import { aside, named, numbers, table, words } from '../../views/html/table.ts';
import { SCALES, THEMES } from '../../views/html/tokens.ts';
import { drawnMoney } from '../../views/html/wording.ts';
import { actCard, actLink } from '../inbox/act-page.ts';
import { FREEZE } from '../inbox/acts.ts';
import { frozenNotice, stateFrame } from './frame.ts';
import { filterForm, readyRanges } from './page-filter.ts';

const { path } = PAGES.kit;
const { badge, facts, section } = parts;

const CUSTOMER = { customerId: customerId('1234567890'), name: 'Northwind Shoes' };
const BUDGET = { ...CUSTOMER, budgetId: budgetId('77'), campaignId: campaignId('21'), campaignName: 'Trail Shoes' };
const CHANGE = parts.amountChange(60_000_000n, 51_000_000n, 'EUR');
const RANGE = { from: civilDate('2026-11-01'), to: civilDate('2026-11-07') };
const SPENT = drawnMoney(
  [52_000_000n, 58_000_000n, undefined, 61_000_000n, 66_000_000n, 44_000_000n, 47_000_000n],
  'EUR',
);
const SMALL = smallChart({ title: 'Spend', summary: 'It falls.', series: [{ name: 'spend', ...SPENT }] });

/** Every component of the pages, made from made-up facts by the functions that the pages use. */
export function kitPage(app: StateApp): Promise<string> {
  const filter = { ...RANGE, customers: [CUSTOMER.customerId], campaigns: [], ignored: ['2026-13-01'], notes: [] };
  const fields = ['days', 'customer', 'campaign'] as const;
  return stateFrame(app, {
    path,
    title: 'Kit',
    filter: filterForm({ path, filter, fields, accounts: [CUSTOMER], ranges: readyRanges(RANGE.to) }),
    body: html`${tokens()}${texts()}${answers()}${surfaces()}`,
  });
}

function tokens(): Html {
  const drawn = (shape: Html) => html`<svg class="small" aria-hidden="true">${shape}</svg>`;
  const colour = (name: string) =>
    html`<li>${drawn(html`<rect width="84" height="26" fill="var(--${name})" stroke="var(--line)"/>`)}${name}</li>`;
  const { font, mono, ...sizes } = SCALES;
  const shapes = Object.entries(sizes).map(([name, size]) => {
    const isType = name.startsWith('t-');
    const type = html`<text y="22" font-size="${size}" fill="var(--text)">60.00 EUR</text>`;
    const box = name.startsWith('r') ? html`width="84" rx="${size}"` : html`width="${size}"`;
    return [`${name} ${size}`, drawn(isType ? type : html`<rect ${box} height="26" fill="var(--accent)"/>`)] as const;
  });
  const colours = html`<ul class="line">${Object.keys(THEMES.light).map(colour)}</ul>`;
  return html`${section('Colours', colours)}${section('Type, spaces, radii', facts(shapes))}`;
}

function texts(): Html {
  const entries = facts([
    ['Account', parts.account(CUSTOMER.customerId, CUSTOMER.name, path)],
    ['Budget', parts.budgetLink(path, BUDGET)],
    ['Campaign', parts.campaignLink({ customerId: CUSTOMER.customerId, campaignId: BUDGET.campaignId }, path)],
    ['Rule', parts.ruleLink(path, 'month-pacing')],
    ['Change', CHANGE],
    ['Instant', parts.instant('2026-11-07T12:00:00Z')],
    ['Long name', named(`${CUSTOMER.name} `.repeat(9))],
    ['Other direction', aside('שלום')],
    ['Code', html`<code>pacekeeper report</code>`],
  ]);
  const badges = html`${badge(['good', 'good'])} ${badge(['waits', 'waits'])} ${badge(['bad', 'bad'])} ${badge(['plain', 'plain'])} ${badge(['acts', 'acts'])}`;
  return html`<p class="find">On course for <strong>1,926 EUR</strong>, <strong class="bad">7% over</strong>.</p>
<p class="scope">The scope of the finding: <span class="good">good</span>, <span class="warn">warning</span>, <span class="bad">bad</span>.</p>
${section('Texts', html`<p class="note">A note.</p>${entries}`)}${section('Badges', html`<p>${badges}</p>`)}`;
}

function answers(): Html {
  const columns = [...words('Name'), ...numbers('Spend'), ...words('Course', 'State'), { title: 'Why', long: true }];
  const why = 'A long text stands below the other values where the table is narrow, and wraps where it is wide.';
  const spend = html`60.00 EUR<br><span class="note">a note</span>`;
  const rows = [
    ['Trail Shoes', spend, SMALL, badge(['done', 'good']), why],
    ['Road Shoes', spend, undefined, badge(['failed', 'bad']), why],
  ];
  const listed = table({ caption: 'A table', columns, rows, foot: [['Sum', '120.00 EUR', '', '', '']] });
  const budget = drawnMoney(
    [60n, 60n, 60n, 60n, 60n, 51n, 51n].map((units) => units * 1_000_000n),
    'EUR',
  );
  const days = dayChart({
    title: 'Spend per day',
    summary: 'Rings mark budget changes.',
    unit: 'EUR',
    x: daysOf(RANGE),
    series: [
      {
        name: 'spend',
        ...SPENT,
        marks: [{ index: 5, words: 'B12', label: 'B12' }],
        end: { value: '47', word: 'spend' },
      },
      { name: 'budget', ...budget, stepped: true, dashed: true, end: { value: '51', word: 'budget' } },
    ],
  });
  const bars = chart({
    title: 'Spend by weekday',
    summary: 'Two kinds of bars.',
    unit: 'EUR',
    x: ['Monday', 'Tuesday'],
    series: [
      { name: 'this week', values: [52, 58], bars: true },
      { name: 'last week', values: [61, 60], bars: true },
    ],
    table: listed,
  });
  return html`${parts.figures([
    { label: 'Spend', value: html`328 <small>EUR</small>`, note: '−8.3% to the days before' },
    { label: 'Course', value: SMALL },
    { label: 'Daily budget', value: CHANGE },
  ])}${section('Tables', html`${listed}${table({ caption: 'An empty table', columns, rows: [] })}`)}${section('Charts', html`${days}${bars}`)}`;
}

function surfaces(): Html {
  const asked = { act: 'freeze', on: '' } as const;
  const effect = { kind: 'possible', ...FREEZE, body: html`<p>Reading continues.</p>`, seen: '' } as const;
  const buttons = [false, true].map((isFrozen) => actLink('approver', { act: 'approve', on: 'K7PX' }, isFrozen));
  return html`${frozenNotice(path, { why: 'frozen by anna: budget review', isLiftable: true })}<p class="problem">A problem.</p>
${parts.emptyState('An empty state.', html`Run <code>pacekeeper report</code>.`)}${parts.fold({ id: 'fold', title: 'A fold' }, html`<p>Its content.</p>`)}${section('Buttons', html`<p class="ways">${buttons}${actLink('approver', asked)}</p>`)}${section(
  'Code',
  html`<pre class="output" tabindex="0" aria-label="Output">Budgets are frozen.</pre><p class="log">clicks 120 >= 100</p>`,
)}<div class="sheet">${actCard(asked, effect, '')}</div>`;
}
