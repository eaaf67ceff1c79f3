import { CUSTOMER } from './budget-columns.ts';
import { bySql, day, id, json, money, state, text } from './column.ts';
import type { PublishedView } from './published-view.ts';

/** Amounts are text in the records. Those beyond int64 become empty. */
const whole = (column: string) => `CASE WHEN length(${column}) < 19 THEN CAST(${column} AS bigint) END`;
const amount = (key: `${string}_micros`, meaning: string, sql = whole(key)) =>
  bySql(money(key, meaning, undefined, { unit: "target's currency" }), sql);

const ID = id('id', 'The number of the target in the newest report.');
const NAME = bySql(text('name', 'The name of the target, or of the pacing rule.'), 'rule');
const OWN = { ...CUSTOMER, meaning: 'The account. NULL for a target of several accounts.' };
const TARGET_CURRENCY = text('currency', 'The currency of the target and of its amounts, ISO 4217.');

const ofNewestReport = (records: string) => `WHERE run_id = (SELECT max(id) FROM ${records}.run
  WHERE command = 'report' AND state IN ('done', 'failed') AND notes IS NOT NULL)`;

/** The state of each target in the newest report. */
const TARGET: PublishedView = {
  name: 'target',
  group: 'statistics',
  references: { run_id: 'run (id)' },
  description:
    'One row per target: of a pacing rule, or of several accounts. All amounts are in its currency, as of the newest report.',
  columns: [
    bySql(ID, 'place'),
    NAME,
    OWN,
    text('subject', 'The campaign, budget, account or number of accounts that it covers.'),
    TARGET_CURRENCY,
    day('date_from', 'The first day of the flight, or of the part of the month that is paced.'),
    day('date_to', 'The last day.'),
    state('state', 'in_band, low, high, overspent, unused, paused, not_started, ended, unknown or withheld.'),
    text('reason', 'Why nothing was decided. NULL if something was.'),
    text('mode', 'propose, approve or apply, from its file.'),
    json('accounts', 'The accounts of a target of several accounts: a JSON list.', undefined, { sql: 'members' }),
    json('rates', 'The exchange rates used: a JSON list. On `date`, one `from` was `rate` of `to`.'),
    amount('target_micros', 'The target for these days, with the amount carried over.'),
    amount('spent_micros', 'The cost of complete days.'),
    amount('unsettled_micros', 'The highest possible cost of past days that are not complete.'),
    amount(
      'left_micros',
      'Target − spent − unsettled. Negative after overspend.',
      `(${whole('target_micros')} - ${whole('spent_micros')} - coalesce(${whole('unsettled_micros')}, 0))`,
    ),
    amount('ideal_to_date_micros', 'Share of the target for the days before today.'),
    amount('projected_micros', 'The expected cost of these days.'),
    amount('budget_micros', "The sum of that day's budgets."),
    amount('should_be_micros', 'Their sum after all decisions, limits and guards.'),
    id('run_id', 'The newest report.'),
  ],
  key: ['id'],
  isOfSeveral: true,
  from: ({ records }) => `FROM ${records}.run_pacing ${ofNewestReport(records)}`,
  order: 'place',
};

const TARGET_DAY: PublishedView = {
  name: 'target_day',
  group: 'statistics',
  references: { target_id: 'target (id)' },
  description: 'One row per target and day from `date_from` to `date_to`.',
  columns: [
    bySql({ ...ID, key: 'target_id' }, 'place'),
    NAME,
    OWN,
    TARGET_CURRENCY,
    day('date', 'The day.'),
    amount('ideal_micros', 'The share of the target that its curve gives to the day.'),
    amount('cost_micros', 'The cost of the day. NULL if the day is not complete.'),
  ],
  key: ['target_id', 'date'],
  isOfSeveral: true,
  from: ({ records }) =>
    `FROM ${records}.run_pacing_day JOIN ${records}.run_pacing USING (run_id, place) ${ofNewestReport(records)}`,
  order: 'place, date',
};

export const PUBLISHED_TARGETS: readonly PublishedView[] = [TARGET, TARGET_DAY];
