import type { BacktestResult } from '../../language/results/report-result.ts';
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
import { type Column, day, state, text } from '../../storage/columns/column.ts';
import { REFUSED, type StateWord } from '../../storage/columns/state-words.ts';
import { SUBJECT_WORDS } from '../../views/decision-columns.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { type Listing, part } from '../../views/kit/listing.ts';
import { ACCOUNTS, FAILED, NOTES } from '../../views/rule-parts.ts';
import { type ShownTrial, TRIAL_COLUMNS } from '../../views/trial-columns.ts';
import { historyWords, trialWords } from '../../views/trial-words.ts';
import { RULE_COLUMNS } from './list-view.ts';

const REASONS_SHOWN = 10;

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
    historyWords(result.rule),
  ],
  json: (result) => ({
    rule: jsonObject(RULE_COLUMNS, result.rule),
    target: result.target,
    from: result.days.from,
    to: result.days.to,
    evaluated_at: result.evaluatedAt,
    note: historyWords(result.rule),
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
