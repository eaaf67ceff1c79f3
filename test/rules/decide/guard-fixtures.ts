import type { PastChange } from '../../../src/domain/budget-change.ts';
import type { CivilDate } from '../../../src/domain/civil-date.ts';
import { type BudgetId, budgetId, campaignId, customerId } from '../../../src/domain/ids.ts';
import { type Micros, parseAmount } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import {
  add,
  divide,
  multiply,
  parseDecimal,
  type Rational,
  rational,
  subtract,
} from '../../../src/domain/rational.ts';
import type { AccountFacts, BudgetFacts, RequestedChange } from '../../../src/language/rules/decide/decision.ts';
import type { BudgetChange, Limits, Mode, Rule } from '../../../src/language/rules/rule.ts';

export const TODAY = civilDate('2026-11-20');
export const B71 = budgetId('71');
export const B72 = budgetId('72');

/** An amount in currency units. */
export function money(text: string): Micros {
  const amount = parseAmount(text);
  if (amount === undefined) throw new Error(`${text} is no amount`);
  return amount;
}

function decimal(text: string): Rational {
  const value = parseDecimal(text);
  if (!value) throw new Error(`${text} is no number`);
  return value;
}

/** "20%" as 1/5. */
export function share(percent: string): Rational {
  return divide(decimal(percent.replace('%', '')), rational(100n)) as Rational;
}

/** A change by its text, with the amount in micros that it makes of `current`. */
export function changeOf(text: string, current: Micros): { change: BudgetChange; target: Rational } {
  const from = rational(current);
  const match = /^(increase|decrease) budget by (\d+(?:\.\d+)?)(%?)$/.exec(text);
  if (!match) {
    const value = { kind: 'budget', span: SPAN } as const;
    const target = multiply(decimal(text.replace('set budget to ', '')), rational(1_000_000n));
    return { change: { kind: 'to', value, text }, target };
  }
  const [, word, number = '', sign] = match;
  const direction = word === 'increase' ? 'increase' : 'decrease';
  const by = sign
    ? { kind: 'share' as const, share: share(number) }
    : { kind: 'amount' as const, amount: money(number) };
  const delta = by.kind === 'share' ? multiply(from, by.share) : rational(by.amount);
  const target = direction === 'increase' ? add(from, delta) : subtract(from, delta);
  return { change: { kind: 'by', direction, by, text }, target };
}

export interface LimitTexts {
  readonly floor?: string;
  readonly ceiling?: string;
  readonly step?: string;
  readonly cooldown?: number;
  readonly drift?: readonly [share: string, days: number];
}

export function limitsOf({ floor, ceiling, step, cooldown, drift }: LimitTexts): Limits {
  return {
    floor: floor === undefined ? undefined : money(floor),
    ceiling: ceiling === undefined ? undefined : money(ceiling),
    step: step === undefined ? undefined : share(step),
    cooldownDays: cooldown,
    drift: drift && { share: share(drift[0]), days: drift[1] },
    minimum: [],
  };
}

const START = { line: 1, column: 1, offset: 0 };
const SPAN = { start: START, end: START };

export function ruleWith(change: BudgetChange | undefined, limits: Limits, name = 'trim', mode: Mode = 'apply'): Rule {
  const value = { kind: 'budget', span: SPAN } as const;
  return {
    name,
    version: '0123456789ab',
    description: 'A rule of a test.',
    from: 'stats',
    reads: [],
    model: undefined,
    columns: [],
    for: 'campaign',
    where: undefined,
    over: { kind: 'days', days: 7 },
    when: { tree: { kind: 'null_test', negated: true, operand: value, span: SPAN }, text: 'budget IS NOT NULL' },
    lastingDays: 1,
    usesConversions: false,
    conversionDays: undefined,
    includePaused: false,
    change,
    limits,
    alert: undefined,
    currency: undefined,
    amountAt: undefined,
    mode,
  };
}

export interface RequestTexts {
  readonly change?: string;
  readonly limits?: LimitTexts;
  readonly rule?: string;
  readonly mode?: Mode;
  /** The campaign's id. */
  readonly campaign?: string;
  readonly budget?: BudgetId;
  /** What the budget is when the rule computes its change. */
  readonly current?: string;
  readonly changes?: Partial<RequestedChange>;
}

export function requestOf(texts: RequestTexts = {}): RequestedChange {
  const { change: text = 'decrease budget by 15%', campaign = '21', budget = B71, current = '40' } = texts;
  const { change, target } = changeOf(text, money(current));
  return {
    rule: ruleWith(change, limitsOf(texts.limits ?? {}), texts.rule, texts.mode),
    subject: {
      kind: 'campaign',
      customerId: customerId('1234567890'),
      campaignId: campaignId(campaign),
      campaignName: `C${campaign}`,
      budgetId: budget,
      adGroupId: undefined,
      criterionId: undefined,
      label: `C${campaign} (campaign ${campaign})`,
    },
    budgetId: budget,
    target,
    tooLittle: [],
    because: 'clicks (100) >= 30, 2026-11-13 to 2026-11-19',
    numbers: [],
    alertText: undefined,
    ...texts.changes,
  };
}

export function budgetOf(id: BudgetId, amount: string, changes: Partial<BudgetFacts> = {}): BudgetFacts {
  return {
    budgetId: id,
    amount: money(amount),
    source: 'read',
    removed: false,
    campaigns: [{ id: campaignId('21'), name: 'C21' }],
    decidedToday: undefined,
    outcomeOpen: false,
    proposed: undefined,
    changes: [],
    ...changes,
  };
}

export function accountOf(budgets: readonly BudgetFacts[], changes: Partial<AccountFacts> = {}): AccountFacts {
  return {
    customerId: customerId('1234567890'),
    currency: 'EUR',
    today: TODAY,
    budgets: new Map(budgets.map((budget) => [budget.budgetId, budget])),
    dailyTotalMax: undefined,
    dailyExposureMax: undefined,
    frozen: undefined,
    ...changes,
  };
}

export function past(day: string, by: PastChange['by'], from: string, to: string): PastChange {
  return { day: day as CivilDate, by, from: money(from), to: money(to) };
}

/** Anna's NO to 40.00 EUR to 34.00 EUR. */
export function no(day: string): BudgetFacts['rejected'] {
  return { code: '6EGK', by: 'anna', day: civilDate(day), from: money('40'), to: money('34') };
}
