import type { SimulationResult } from '../report/simulation-result.ts';
import { type Html, html } from './html.ts';
import { aside, named, table } from './table.ts';
import { changeText, costText, counted, countText, rangeText } from './wording.ts';

const number = (title: string) => ({ title, numeric: true });

/** A page of thousands of rows helps nobody; JSON has all of them. */
const ROWS_MAX = 1000;

/** So many rows are read at a glance; more of them wait until somebody asks. */
const OPEN_MAX = 20;

function folded(rows: readonly unknown[], what: string, content: Html): Html {
  if (rows.length <= OPEN_MAX) return content;
  return html`<details><summary>${counted(rows.length, what)}</summary>\n${content}</details>\n`;
}

function more(all: readonly unknown[], what: string): Html | false {
  return (
    all.length > ROWS_MAX &&
    html`<p class="note">The first ${countText(ROWS_MAX)} of ${counted(all.length, what)}; --format json has all of them.</p>\n`
  );
}

/** What each budget came to; those that were changed first. */
export function budgetsTable({ budgets, currency }: SimulationResult): Html {
  const ordered = budgets.toSorted((one, other) => other.changes - one.changes);
  return html`<h3>Budgets</h3>
${table({
  caption: 'By budget',
  columns: [
    { title: 'Budget' },
    { title: 'Daily amount' },
    ...[
      number('Changes'),
      number('Spend with'),
      number('Spend without'),
      number('Clicks with'),
      number('Clicks without'),
    ],
  ],
  rows: ordered
    .slice(0, ROWS_MAX)
    .map(({ label, fromMicros, toMicros, changes, with: ruled, without }) => [
      named(label),
      changeText({ fromMicros, toMicros: toMicros === fromMicros ? undefined : toMicros, currency }),
      changes,
      ...[costText(ruled.spendMicros, currency), costText(without.spendMicros, currency)],
      ...[countText(ruled.clicks), countText(without.clicks)],
    ]),
})}${more(budgets, 'budget')}`;
}

/** What each rule did, and which ones had no part in it. */
export function rulesTable({ rules }: SimulationResult): Html {
  return table({
    caption: 'What each rule did',
    columns: [
      { title: 'Rule' },
      ...[number('Fired'), number('Changes'), number('Held back'), number('Alerts')],
      { title: 'Remarks', long: true },
    ],
    rows: rules.map(({ rule, fired, changes, refused, refusedBy, alerts, ...rest }) => [
      named(rule),
      ...[countText(fired), countText(changes), countText(refused), countText(alerts)],
      [
        ...(rest.leftOut === undefined ? [] : [`Left out: ${rest.leftOut}.`]),
        ...(rest.notEvaluated === 0
          ? []
          : [`Not evaluated on ${counted(rest.notEvaluated, 'day')}: ${rest.notEvaluatedWhy}.`]),
        ...(refusedBy.length === 0
          ? []
          : [
              `Held back by ${refusedBy.map(([code, times]) => `${code} (${times.toLocaleString('en-US')})`).join(', ')}.`,
            ]),
      ].join(' '),
    ]),
    none: 'there are no rules, so both sides are the same.',
  });
}

/** Every change with its reason. */
export function changesTable({ changes, currency }: SimulationResult): Html {
  const content = html`${table({
    caption: 'Changes of budgets',
    columns: [
      { title: 'Day' },
      { title: 'What' },
      { title: 'Change' },
      { title: 'Rule' },
      { title: 'Why', long: true },
    ],
    rows: changes
      .slice(0, ROWS_MAX)
      .map(({ day, subject, fromMicros, toMicros, rule, reason }) => [
        ...[html`<span class="day">${day}</span>`, named(subject), changeText({ fromMicros, toMicros, currency })],
        ...[rule, aside(reason)],
      ]),
    none: 'no rule changed a budget.',
  })}${more(changes, 'change')}`;
  return folded(changes, 'change', content);
}

const KINDS: Readonly<Record<string, string>> = {
  change: 'a budget was changed',
  first: 'it began',
  repeat: 'it still is so',
  escalated: 'it became worse',
  resolved: 'it is over',
};

/** Everything that people would have been told. */
export function alertsTable({ alerts }: SimulationResult): Html {
  const content = html`${table({
    caption: 'What people would have been told',
    columns: [
      { title: 'Day' },
      { title: 'Rule' },
      { title: 'What' },
      { title: 'Because' },
      { title: 'Words', long: true },
    ],
    rows: alerts
      .slice(0, ROWS_MAX)
      .map(({ day, rule, subject, kind, text }) => [
        ...[html`<span class="day">${day}</span>`, rule, named(subject), KINDS[kind] ?? kind],
        text === undefined ? undefined : aside(text),
      ]),
    none: 'nothing.',
  })}${more(alerts, 'alert')}`;
  return folded(alerts, 'alert', content);
}

const SHOCKS: Readonly<Record<string, string>> = {
  surge: 'twice as many searches',
  collapse: 'hardly any searches',
  dear_clicks: 'clicks cost half as much again',
};

/** What befell the campaigns, with the rules and without. */
export function shocksTable({ shocks }: SimulationResult): Html {
  const content = html`${table({
    caption: 'What befell campaigns, on both sides',
    columns: [{ title: 'Campaign' }, { title: 'Days' }, { title: 'What' }],
    rows: shocks
      .slice(0, ROWS_MAX)
      .map(({ campaignName, kind, from, to }) => [named(campaignName), rangeText({ from, to }), SHOCKS[kind] ?? kind]),
    none: 'nothing out of the ordinary.',
  })}${more(shocks, 'shock')}`;
  return folded(shocks, 'shock', content);
}
