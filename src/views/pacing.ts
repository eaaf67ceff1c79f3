import { type DateRange, daysOf, endOfGrain, isWholeMonth, monthStart } from '../domain/civil-date.ts';
import { formatMoneyRounded } from '../domain/micros.ts';
import { type Rational, roundHalfAway } from '../domain/rational.ts';
import type { PacingResult, PacingTarget, WithheldTarget } from '../language/results/report-result.ts';
import type { PaceReading } from '../language/rules/pacing/pace.ts';
import { BUDGET, CAMPAIGN, CAMPAIGN_NAME, CURRENCY, CUSTOMER, RULE } from '../storage/columns/budget-columns.ts';
import { type Column, count, day, json, list, money, state, text } from '../storage/columns/column.ts';
import { leftOf, type RecordedTarget, type RunTarget } from '../storage/records/runs/run-result-table.ts';
import { DECISION_COLUMNS, SUBJECT_WORDS } from './decision-columns.ts';
import { jsonObject } from './kit/json.ts';
import { type Listing, part, sentences } from './kit/listing.ts';
import {
  besideWords,
  decisionLines,
  knownSum,
  PACE_WORDS,
  paceDays,
  whySentence,
  worstCases,
} from './report/pacing-words.ts';
import { sharedName, sharedRest } from './report/shared-targets.ts';
import { ACCOUNTS, FAILED, headOf, membersOf, NOT_EVALUATED, NOTES, RULES } from './rule-parts.ts';
import { count as counted, LINES_MAX, NOTHING_READ, namesOf } from './text/text-layout.ts';

export type ShownTarget = PacingTarget & RunTarget;

const SUBJECT: Column<RunTarget> = {
  ...SUBJECT_WORDS,
  title: 'Target for',
  shown: (target) => (target.customerId === undefined ? sharedName(target) : target.subject),
};
const STATE = state(
  'state',
  'in_band, low, high, overspent, unused, paused, not_started, ended, unknown or withheld.',
  'state',
  {
    title: 'State',
    word: (target) => PACE_WORDS[target.state as keyof typeof PACE_WORDS],
  },
);
export const TARGET = money('target_micros', 'The target for these days, with the amount carried over.', 'target', {
  title: 'Target',
  rounded: true,
});
export const SPENT = money('spent_micros', 'The cost of complete days.', 'spent', { title: 'Spent', rounded: true });
const IDEAL = money('ideal_to_date_micros', 'Share of the target for the days before today.', 'idealToDate', {
  title: 'Ideal to date',
  rounded: true,
});
const PROJECTED = money('projected_micros', 'The expected cost of these days.', 'projected', {
  title: 'Projected',
  rounded: true,
});
export const LEFT = money('left_micros', 'The unspent part of the target. Negative after overspend.', leftOf, {
  title: 'Left',
  rounded: true,
});
export const BUDGET_TODAY = money('budget_micros', "The sum of today's budgets.", 'budget', {
  title: 'Budget today',
  rounded: true,
});
export const SHOULD_BE = money(
  'should_be_micros',
  'The amount that a report would set, after all limits and guards.',
  ({ shouldBe }: RunTarget) => shouldBe,
  {
    title: 'Should be',
    shown: ({ shouldBe, budget, currency }) =>
      shouldBe === undefined || shouldBe === budget ? 'no change' : formatMoneyRounded(shouldBe, currency),
  },
);

const MEMBERS = list(
  'accounts',
  'The accounts of a target of several accounts.',
  ({ members }: Pick<PacingTarget, 'members'>) => members.map(Number),
);

/** The budgets of today and the suggested ones are on the left, so that narrow screens show them. */
export const PACE_COLUMNS: readonly Column<RunTarget>[] = [
  SUBJECT,
  STATE,
  BUDGET_TODAY,
  SHOULD_BE,
  TARGET,
  SPENT,
  IDEAL,
  PROJECTED,
  CUSTOMER,
  RULE,
];

/** Amounts are rounded to whole micros. */
export const PACING_COLUMNS: readonly Column<ShownTarget>[] = [
  RULE,
  CUSTOMER,
  SUBJECT,
  CAMPAIGN,
  CAMPAIGN_NAME,
  BUDGET,
  CURRENCY,
  day(
    'from',
    'The first day of the flight, or of the part of the month that the rule paces.',
    ({ reading }) => reading.period.from,
  ),
  day(
    'to',
    'The last day of the flight, or of the part of the month that the rule paces.',
    ({ reading }) => reading.period.to,
  ),
  STATE,
  TARGET,
  money(
    'month_target_micros',
    'The target for the whole month or flight, from the rule.',
    ({ reading }) => reading.wholeTarget,
  ),
  money('carried_micros', 'The amount carried over from earlier months. Negative after overspend.', ({ reading }) =>
    roundHalfAway(reading.carried),
  ),
  SPENT,
  money('unsettled_micros', 'The highest possible cost of past days that are not complete.', ({ reading }) =>
    knownSum(reading, reading.unsettled),
  ),
  day('settled_until', 'The newest complete day.', ({ reading }) => reading.newestSettled),
  IDEAL,
  money('budgeted_micros', "The cost of these days if today's budgets are spent every day.", ({ reading }) =>
    knownSum(reading, reading.budgeted),
  ),
  PROJECTED,
  BUDGET_TODAY,
  money(
    'wanted_micros',
    'The requested amount before any limit. Empty if no change is requested.',
    ({ reading }) => reading.wanted && roundHalfAway(reading.wanted),
  ),
  SHOULD_BE,
  text('decision', 'proposed or refused. Empty if no change is requested.', decisionOf),
  list('limited_by', 'The [limits](rules.md#limits) that reduced a change: step, floor, ceiling, drift.', 'limitedBy'),
  list('codes', 'Codes of refused changes.', ({ decisions }) => [
    ...new Set(decisions.flatMap(({ code }) => code ?? [])),
  ]),
  text('why', 'The explanation in one sentence.', ({ reading }) => reading.why),
  text('curve', 'The curve: even, weekday, early, late or custom.', ({ reading }) => reading.curve.kind),
  count(
    'learned_from_days',
    'Number of days from which a weekday curve was learned.',
    ({ reading }) => reading.curve.learnedFrom,
  ),
  money(
    'shortfall_micros',
    'The amount by which the target will be missed. Empty if it can be met within the band.',
    ({ reading }) => reading.shortfall?.amount,
  ),
  text(
    'shortfall_reason',
    'Why: ceiling, unused (underspent) or day_limit (no day gets more than twice its share).',
    ({ reading }) => reading.shortfall?.reason,
  ),
  LEFT,
  MEMBERS,
  json('rates', 'The exchange rates used: on `date`, one `from` was `rate` of `to`.', 'rates'),
];

export const WITHHELD_COLUMNS: readonly Column<WithheldTarget>[] = [
  RULE,
  CURRENCY,
  MEMBERS,
  text('reason', 'Why nothing was decided.', 'because'),
];

const NESTED_COLUMNS: readonly Column<ShownTarget>[] = [
  json('budgets', 'The budgets of the target.', ({ reading }) =>
    reading.budgets.map(({ budgetId, label, amount, wanted }) => ({
      budget_id: budgetId,
      label,
      amount_micros: amount,
      wanted_micros: wanted && roundHalfAway(wanted),
    })),
  ),
  json('decisions', 'The decisions about these budgets.', ({ decisions }) =>
    decisions.map((one) => jsonObject(DECISION_COLUMNS, one)),
  ),
  json('others', 'Decisions of other rules about these budgets.', ({ others }) =>
    others.map((one) => jsonObject(DECISION_COLUMNS, one)),
  ),
  json('days', 'The days from `from` to `to`.', ({ reading }) =>
    paceDays(reading).map(({ date, cost, ideal }) => ({ date, cost_micros: cost, ideal_micros: ideal })),
  ),
];

export const PACING: Listing<PacingResult> = {
  name: 'pacing',
  evident: ['settled_until', 'why', 'codes'],
  about:
    'One row per subject of a pacing rule, with its target (see [pacing.md](pacing.md)). Amounts cover the days `from` to `to`. Fractions of a micro are rounded. `--format html` writes a page.',
  frozen: ({ frozen }) => frozen,
  before: (result) => [...headOf('pacing', result), ...conclusion(result)],
  json: (result) => ({ mode: result.mode, example: result.example, ...membersOf(result) }),
  parts: [
    ACCOUNTS,
    RULES,
    part({
      json: 'targets',
      only: ['json', 'rows'],
      title: 'Targets',
      columns: [...PACING_COLUMNS, ...NESTED_COLUMNS.map((column) => ({ ...column, only: ['json'] as const }))],
      rows: shownTargets,
    }),
    part({
      only: ['people'],
      title: 'Targets',
      columns: [
        ...PACE_COLUMNS,
        list('words', 'The explanation, and the decisions about its budgets.', targetTexts, {
          title: 'Why',
          long: 'lines',
        }),
      ],
      rows: (result) => (result.unread ? [] : listedTargets(result)),
    }),
    NOT_EVALUATED,
    sentences('Worst case', ({ unread, targets, accounts }) => (unread ? [] : worstCases(targets, namesOf(accounts)))),
    NOTES,
    part({
      only: ['page'],
      title: 'Example',
      columns: [
        text('example', 'A rule with a target.', ({ example }: PacingResult) => example, {
          title: 'Rule',
          long: 'lines',
        }),
      ],
      rows: (result) => (result.example === undefined ? [] : [result]),
    }),
    FAILED,
  ],
};

export function shownTarget(target: PacingTarget, accountName: string | undefined): ShownTarget {
  const { reading } = target;
  const known = (value: Rational) => knownSum(reading, value);
  return {
    ...target,
    accountName,
    state: reading.state,
    target: roundHalfAway(reading.target),
    spent: known(reading.spent),
    unsettled: known(reading.unsettled),
    idealToDate: known(reading.idealToDate),
    projected: known(reading.projected),
    budget: reading.current,
    dateFrom: reading.period.from,
    dateTo: reading.period.to,
    reason: reading.state === 'unknown' ? reading.why : undefined,
  };
}

/** As a report records them. */
export function runTargets({
  pacing = [],
  withheld = [],
}: {
  readonly pacing?: readonly PacingTarget[];
  readonly withheld?: readonly WithheldTarget[];
}): RecordedTarget[] {
  return [
    ...withheld.map(({ because, ...target }) => ({ ...UNKNOWN, ...target, reason: because })),
    ...pacing.map((target) => ({ ...shownTarget(target, undefined), days: paceDays(target.reading) })),
  ];
}

const UNKNOWN = {
  customerId: undefined,
  accountName: undefined,
  state: 'withheld',
  target: undefined,
  spent: undefined,
  unsettled: undefined,
  idealToDate: undefined,
  projected: undefined,
  budget: undefined,
  shouldBe: undefined,
  covers: [],
  dateFrom: undefined,
  dateTo: undefined,
  rates: [],
  days: [],
};

export function shownTargets({ targets, accounts }: Pick<PacingResult, 'targets' | 'accounts'>): ShownTarget[] {
  const names = new Map(accounts.map(({ customerId, name }) => [customerId, name]));
  return targets.map((target) => shownTarget(target, target.customerId && names.get(target.customerId)));
}

type ListedTarget = ShownTarget & { readonly isTerse: boolean };

function listedTargets(result: PacingResult): ListedTarget[] {
  const isTerse = result.targets.length > LINES_MAX;
  return shownTargets(result).map((target) => ({
    ...target,
    isTerse: isTerse && target.decisions.length + target.others.length === 0,
  }));
}

function targetTexts(target: ListedTarget): string[] {
  if (target.isTerse) return [];
  const rest = target.customerId === undefined ? [sharedRest(target).join(' ')] : [];
  const words = [
    whySentence(target.reading),
    coveredWords(target),
    ...besideWords(target),
    ...rest,
    ...decisionLines(target),
  ];
  return words.filter((line) => line !== '');
}

function coveredWords({ reading: { per, period } }: PacingTarget): string {
  if (isWholeMonth(period)) return '';
  return `Covers ${period.from} to ${period.to}: ${dayWords(per, period)}.`;
}

/** Text such as "12 days of 30" for a month, "35 days" for a flight. */
export function dayWords(per: PaceReading['per'], period: DateRange): string {
  const days = counted(daysOf(period).length, 'day');
  if (per === 'flight') return days;
  return `${days} of ${daysOf({ from: monthStart(period.from), to: endOfGrain('month', period.from) }).length}`;
}

function decisionOf({ decisions }: PacingTarget): 'proposed' | 'refused' | undefined {
  if (decisions.some((decision) => decision.kind === 'would_change')) return 'proposed';
  return decisions.length > 0 ? 'refused' : undefined;
}

function conclusion({ unread, targets, example }: PacingResult): string[] {
  if (example !== undefined) return [];
  if (unread) return [NOTHING_READ];
  if (targets.length === 0) return ['No target could be evaluated. See the reasons below.'];
  const asking = targets.filter(({ decisions }) => decisions.length > 0).length;
  const others = targets.length - asking;
  return [
    `Nothing was changed. ${counted(asking, 'target')} ${asking === 1 ? 'needs' : 'need'} another budget, ${others.toLocaleString('en-US')} ${others === 1 ? 'does' : 'do'} not.`,
  ];
}
