import { type DateRange, daysBetween } from '../../domain/civil-date.ts';
import { formatMoney } from '../../domain/micros.ts';
import { listed } from '../../domain/wording.ts';
import type { AccountBacktest, BacktestResult } from '../../language/results/report-result.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import type { TrialRow } from '../../language/trial/run-trial.ts';
import {
  accountNames,
  BUDGET,
  CAMPAIGN,
  CAMPAIGN_NAME,
  CURRENCY,
  CUSTOMER,
  FROM,
  RULE,
  TO,
} from '../../storage/columns/budget-columns.ts';
import { type Column, count, day, filled, json, list, money, state, text } from '../../storage/columns/column.ts';
import { REFUSED, type StateWord } from '../../storage/columns/state-words.ts';
import { FIRED, SUBJECT_WORDS, UNKNOWN } from '../../views/decision-columns.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { type Listing, part } from '../../views/kit/listing.ts';
import { ACCOUNTS, FAILED, NOTES } from '../../views/rule-parts.ts';
import { count as counted } from '../../views/text/text-layout.ts';
import { HISTORY_DID_NOT_REACT, spendWords, trialWords } from '../../views/trial-words.ts';
import { RULE_COLUMNS } from './list-view.ts';

const REASONS_SHOWN = 10;
const DAYS_SHOWN = 3;

interface ShownTrial extends AccountBacktest {
  readonly rule: string;
  readonly accountName?: string | undefined;
}

const TRIAL_COLUMNS: readonly Column<ShownTrial>[] = [
  { ...RULE, title: undefined },
  CUSTOMER,
  CURRENCY,
  count('days', 'Number of requested days.', ({ sums }) => sums.evaluated + dayCount(sums.notEvaluated)),
  count('evaluated', 'Number of evaluated days.', ({ sums }) => sums.evaluated, { title: 'Days' }),
  json('not_evaluated', 'The days without an evaluation, and the reasons.', ({ sums }) =>
    sums.notEvaluated.map(({ from, to, reason }) => ({ from, to, reason })),
  ),
  count('as_known', 'Days evaluated with the numbers known at the time.', ({ sums }) => sums.data.known),
  count(
    'restated',
    'Days evaluated with corrected numbers, scaled to the totals known at the time.',
    ({ sums }) => sums.data.restated,
  ),
  count('not_on_record', "Days evaluated with today's numbers.", ({ sums }) => sums.data.not_on_record),
  count(
    'subjects',
    'Subjects evaluated, each counted once per day: 12 campaigns on 30 days are 360.',
    ({ sums }) => sums.looked,
    { title: 'Checked' },
  ),
  filled(FIRED, ({ sums }) => sums.fired),
  filled(UNKNOWN, ({ sums }) => sums.unknown),
  count('changes', 'Changes that the rule would have made.', ({ sums }) => sums.changes, {
    title: 'Changes',
    shown: (trial) => changing(trial, String(trial.sums.changes)),
  }),
  count('alerts', 'For alert-only rules: how often the condition became true.', 'alerts', {
    title: 'Became true',
  }),
  json('refused', 'Number of refused changes by code.', ({ sums }) => Object.fromEntries(sums.refused)),
  money('budgets_begin_micros', 'Sum of all budgets before the first day.', ({ budgets }) => budgets.begin, {
    title: 'Budgets before',
    stays: true,
    shown: (trial) => changing(trial, formatMoney(trial.budgets.begin, trial.currency)),
  }),
  money('budgets_end_micros', 'Sum of all budgets after the last day.', ({ budgets }) => budgets.end, {
    title: 'Budgets after',
    stays: true,
    shown: (trial) => changing(trial, formatMoney(trial.budgets.end, trial.currency)),
  }),
  money(
    'spent_micros',
    'The recorded cost of the complete days. Empty if the table has no cost per campaign.',
    ({ spend }) => spend?.spent,
  ),
  money(
    'saved_micros',
    'The part of this cost above lowered budgets, per budget and day at most the reduction.',
    ({ spend }) => spend?.saved,
  ),
  money(
    'added_micros',
    'The raise of budgets, on days whose cost used up the budget without the rule.',
    ({ spend }) => spend?.added,
  ),
  list('remarks', 'Remarks on the days and their data.', remarksOf, {
    title: 'Remarks',
    long: 'lines',
    only: ['people'],
  }),
];

interface ShownRow extends Pick<ShownTrial, 'rule' | 'customerId' | 'accountName' | 'currency'> {
  readonly kind: TrialRow['kind'];
  readonly day: string;
  readonly subject: string;
  readonly campaignId: string | undefined;
  readonly campaignName: string | undefined;
  readonly budgetId: string | undefined;
  readonly from?: bigint;
  readonly to?: bigint;
  readonly limitedBy?: string | undefined;
  readonly code?: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly text?: string;
}

const KINDS: Readonly<Record<TrialRow['kind'], StateWord>> = {
  change: ['would change', 'waits'],
  refusal: REFUSED,
  alert: ['would alert', 'waits'],
};

const ROW_COLUMNS: readonly Column<ShownRow>[] = [
  state('row', '`change`, `alert`, or with `--all` `refusal`.', 'kind'),
  day('date', "The day in the account's time zone.", 'day', { title: 'Day' }),
  state('kind', 'The action that the rule would have taken.', 'kind', {
    title: 'State',
    only: ['people'],
    word: ({ kind }) => KINDS[kind],
  }),
  { ...RULE, title: undefined },
  CUSTOMER,
  CAMPAIGN,
  CAMPAIGN_NAME,
  { ...SUBJECT_WORDS, title: 'Subject' },
  BUDGET,
  CURRENCY,
  FROM,
  TO,
  text(
    'limited_by',
    'The [limit](rules.md#limits) that reduced the change: step, drift, floor or ceiling.',
    'limitedBy',
  ),
  text('code', 'The code of a refusal.', 'code'),
  text('held_by', 'The limit, or the code of the refusal.', ({ limitedBy, code }) => limitedBy ?? code, {
    title: 'Held by',
    only: ['people'],
  }),
  text('reason', 'The reason why the rule fired, and the change.', 'reason'),
  text('detail', 'The reason of the refusal.', 'detail'),
  text('text', 'The text of the alert.', 'text'),
];

const ABSENT: Readonly<Record<TrialRow['kind'], readonly string[]>> = {
  change: ['code', 'detail', 'text'],
  refusal: [FROM.key, TO.key, 'limited_by', 'text'],
  alert: [FROM.key, TO.key, 'limited_by', 'code', 'reason', 'detail'],
};

export const RULES_BACKTEST: Listing<BacktestResult> = {
  name: 'rules backtest',
  evident: ['date', 'code'],
  about:
    '`row` is `change`, `alert` or, with `--all`, `refusal`. An `alert` is a day on which the condition of an alert-only rule became true.',
  before: (result) => [
    `backtest of ${result.rule.name}@${result.rule.version} · ${result.target} · ${result.days.from} to ${result.days.to}`,
    `Nothing was changed or sent. ${trialWords(result)}`,
    result.rule.description,
    HISTORY_DID_NOT_REACT,
  ],
  json: (result) => ({
    rule: jsonObject(RULE_COLUMNS, result.rule),
    target: result.target,
    from: result.days.from,
    to: result.days.to,
    evaluated_at: result.evaluatedAt,
    note: HISTORY_DID_NOT_REACT,
    rows: rowsOf(result).map((row) =>
      jsonObject(
        ROW_COLUMNS.filter(({ key }) => !ABSENT[row.kind].includes(key)),
        row,
      ),
    ),
    notes: result.notes,
    failures: result.failures,
  }),
  parts: [
    ACCOUNTS,
    part({
      json: 'results',
      only: ['json', 'people'],
      title: 'Accounts',
      columns: TRIAL_COLUMNS,
      rows: ({ trials, rule, accounts }) =>
        trials.map(accountNames(accounts)).map((trial) => ({ ...trial, rule: rule.name })),
    }),
    part({ only: ['rows'], title: 'Rows', columns: ROW_COLUMNS, rows: rowsOf }),
    part({
      only: ['people'],
      title: 'Actions of the rule',
      columns: [
        ...ROW_COLUMNS,
        text('words', 'The reason.', ({ detail, reason, text: words }: ShownRow) => words ?? detail ?? reason, {
          title: 'Why',
          long: true,
        }),
      ],
      rows: (result) => rowsOf(result).map((row, index) => (index < REASONS_SHOWN ? row : wordless(row))),
    }),
    NOTES,
    FAILED,
  ],
};

function rowsOf({ rule, trials, accounts }: BacktestResult): ShownRow[] {
  return trials.map(accountNames(accounts)).flatMap(({ customerId, accountName, currency, rows }) =>
    rows.map(({ subject, ...row }) => ({
      rule: rule.name,
      customerId,
      accountName,
      currency,
      campaignId: subject.campaignId,
      campaignName: subject.campaignName,
      budgetId: subject.budgetId,
      ...row,
      ...('refusal' in row && { code: row.refusal.code, detail: refusalWords(row.refusal) }),
      subject: subject.label,
    })),
  );
}

function wordless({ reason: _reason, detail: _detail, text: _text, ...row }: ShownRow): ShownRow {
  return row;
}

function changing({ alerts }: ShownTrial, words: string): string | undefined {
  return alerts === undefined ? words : undefined;
}

function remarksOf({ sums, spend, currency }: ShownTrial): string[] {
  const { known, restated, not_on_record: later } = sums.data;
  const data = [
    ...(known === 0 ? [] : [`${counted(known, 'day')} with the numbers known at the time`]),
    ...(restated === 0 ? [] : [`${counted(restated, 'day')} with corrected numbers scaled to earlier totals`]),
    ...(later === 0
      ? []
      : [`${counted(later, 'day')} with today's numbers, because some earlier numbers are not on record`]),
  ];
  const refused = [...sums.refused].map(([code, times]) => `${code} ${times.toLocaleString('en-US')}`);
  const days = sums.notEvaluated.slice(0, DAYS_SHOWN);
  const rest = dayCount(sums.notEvaluated.slice(DAYS_SHOWN));
  return [
    ...(data.length === 0 ? [] : [`Evaluated ${listed(data)}.`]),
    ...days.map(({ from, to, reason }) => `Not evaluated ${from === to ? from : `${from} to ${to}`}: ${reason}`),
    ...(rest > 0 ? [`Not evaluated on ${counted(rest, 'more day')}.`] : []),
    ...(refused.length === 0 ? [] : [`Refused: ${refused.join(', ')}.`]),
    ...(spend === undefined || sums.changes === 0 ? [] : [spendWords(spend, currency)]),
  ];
}

function dayCount(ranges: readonly DateRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + daysBetween(from, to) + 1, 0);
}
