import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addDays, daysOf, weekdayOf } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { SimulatedChange } from '../../../src/language/results/simulation-result.ts';
import { inputsOf, simulateIn } from '../../simulate/simulate-in.ts';
import { everyNth, isThorough } from '../../support/effort.ts';
import {
  cooldown,
  cutInsteadOfPause,
  type Difference,
  drift,
  minimumConversions,
  paced,
  ROUNDED,
  receivesAtMost,
  STAYS_LOW,
  waitsForConversions,
} from './documented-differences.ts';
import { FILES } from './page-files.ts';
import {
  flexibleBudgets,
  moveBudget,
  raiseLimitedWinners,
  type Script,
  stopAtCap,
  weekdayBudgets,
} from './published-scripts.ts';
import { runScript } from './run-script.ts';
import { ScriptedAccount } from './scripted-account.ts';

const SEEDS = Array.from({ length: isThorough ? 20 : 3 }, (_, index) => index + 1);
/** The last three campaigns share a budget. */
const SOME_SHARED = 12;
const UNIT = 1_000_000n;
const FIRST = civilDate('2026-01-01');
const daysFor = (count: number) => ({ from: FIRST, to: addDays(FIRST, count - 1) });
const QUERIES = { 'campaign_spend.sql': readFileSync('queries/campaign_spend.sql', 'utf8') };
const NAMED = 'Campaign 00';

interface Row {
  readonly what: string;
  readonly script: Script;
  /** The rule or target of the page, for the campaigns and the currency of the simulated account. */
  readonly rule: string;
  readonly isTarget?: true;
  readonly differences: readonly Difference[];
  /** Thresholds or amounts of the rule, and other ones. */
  readonly others: readonly (readonly [string, string])[];
  readonly campaigns: number;
  readonly days: number;
}

function fileOfPage(wanted: string): string {
  const { text = '' } = FILES.find(({ path }) => path === wanted) ?? {};
  return text.replace('Generisch%', `${NAMED}%`);
}

function flexible(units: bigint): Row {
  const plan = { named: NAMED, total: units * UNIT, weights: [2n, 2n, 2n, 2n, 2n, 1n, 1n] };
  return {
    what: `flexible budgets of ${units} EUR a month`,
    script: flexibleBudgets(plan),
    rule: fileOfPage('rules/flexible-budgets.yaml').replace('3000 per month', `${units} per month`),
    differences: paced(plan, 5n * UNIT),
    others: [['0.5, 0.5]', '0.5, 0.6]']],
    campaigns: 6,
    days: 60,
  };
}

/** The shipped rule, and the same one for less profitable campaigns. */
function winners(returnAbove: number, lostPercent: number, days: number): Row {
  const limits = { days: 14, returnAbove, lostAbove: lostPercent / 100, raisePercent: 10n, ceiling: 150n * UNIT };
  return {
    what: `raise limited winners with a return above ${returnAbove}`,
    script: raiseLimitedWinners(limits),
    rule: readFileSync('rules/feed-limited-winners.yaml', 'utf8')
      .replace('currency: USD', 'currency: EUR')
      .replace('roas > 4', `roas > ${returnAbove}`)
      .replace('share > 20%', `share > ${lostPercent}%`),
    differences: [waitsForConversions(7), minimumConversions(30, 14), cooldown(22), drift(50n, 365), ROUNDED],
    others: [[`share > ${lostPercent}%`, 'share > 2%']],
    campaigns: SOME_SHARED,
    days,
  };
}

const CAP = stopAtCap(3000n * UNIT);
const STOP_AT_CAP: Row = {
  what: 'stop at cap',
  script: CAP,
  rule: fileOfPage('rules/a-month-cap.yaml'),
  differences: [cutInsteadOfPause(90n, 5n * UNIT), STAYS_LOW],
  others: [['cost >= 3000', 'cost >= 4000']],
  campaigns: SOME_SHARED,
  days: 60,
};

const MOVE: Row = {
  what: 'move budget',
  script: moveBudget({
    weekday: weekdayOf(FIRST),
    days: 14,
    percent: 10n,
    floor: 5n * UNIT,
    ceiling: 150n * UNIT,
  }),
  rule: fileOfPage('targets/move-budget.yaml').replace('408-172-5530', '500-000-0001'),
  isTarget: true,
  differences: [waitsForConversions(7), receivesAtMost(10n), ROUNDED],
  others: [
    ['conversions_value /', 'conversions /'],
    ['14 days', '13 days'],
    ['step: 10%', 'step: 11%'],
    ['cooldown: 7 days', 'cooldown: 8 days'],
    ['floor: 5,', 'floor: 6,'],
    ['ceiling: 150', 'ceiling: 151'],
  ],
  campaigns: SOME_SHARED,
  days: 90,
};

const ROWS: readonly Row[] = [
  flexible(3000n),
  flexible(200n),
  {
    what: 'weekday budgets',
    script: weekdayBudgets(
      NAMED,
      [60n, 60n, 60n, 60n, 60n, 30n, 20n].map((units) => units * UNIT),
    ),
    rule: fileOfPage('rules/weekday-budgets.yaml'),
    differences: [],
    others: [['30 on Saturday', '31 on Saturday']],
    campaigns: 6,
    days: 60,
  },
  winners(4, 20, 60),
  winners(2, 10, 150),
  STOP_AT_CAP,
  MOVE,
];

type Decided = Pick<SimulatedChange, 'day' | 'budgetId'> & { readonly from: bigint; readonly to: bigint };

function simulated({ rule, isTarget, campaigns, days }: Row, seed: number) {
  const file = { 'rule.yaml': rule };
  const inputs = isTarget ? inputsOf({}, QUERIES, file) : inputsOf(file, QUERIES);
  return simulateIn(inputs, { days, seed, campaigns, from: FIRST });
}

async function byRule(row: Row, seed: number): Promise<string[]> {
  const { changes } = await simulated(row, seed);
  return inOrder(changes.map((one) => ({ ...one, from: one.fromMicros, to: one.toMicros })));
}

function byScript({ script, campaigns, days }: Row, seed: number, differences: readonly Difference[]) {
  return runScript({ seed, campaigns, query: query(), days: daysFor(days), script, differences });
}

function query() {
  const [first] = inputsOf({}, QUERIES).queries;
  if (first === undefined) throw new Error('The query has errors.');
  return first;
}

function inOrder(changes: readonly Decided[]): string[] {
  return changes.map(({ day, budgetId, from, to }) => `${day} budget ${budgetId}: ${from} to ${to}`).toSorted();
}

describe.each(ROWS)('the script for $what', (row) => {
  it.each(SEEDS)('decides the same changes as the rule, with the documented differences: seed %i', async (seed) => {
    const changes = byScript(row, seed, row.differences);
    expect(inOrder(changes)).toEqual(await byRule(row, seed));
    // No difference turns a change around.
    expect(changes.filter(({ from, to, wanted }) => to > from !== wanted > from)).toEqual([]);
  });

  it.runIf(isThorough).each(row.others)('decides otherwise than a rule with %s changed to %s', async (...other) => {
    const rule = row.rule.replace(...other);
    expect(rule).not.toBe(row.rule);
    let differs = false;
    for (const seed of SEEDS) {
      if (differs) break;
      const own = inOrder(byScript(row, seed, row.differences));
      differs ||= own.join() !== (await byRule({ ...row, rule }, seed)).join();
    }
    expect(differs).toBe(true);
  });
});

const SAID = [...new Set(ROWS.flatMap(({ differences }) => differences.map(({ says }) => says)))];

it.runIf(isThorough).each(everyNth(3, SAID))('a script would decide otherwise without the difference: %s', (words) => {
  const isNeeded = ROWS.some((row) => {
    const without = row.differences.filter(({ says }) => says !== words);
    if (without.length === row.differences.length) return false;
    return SEEDS.some((seed) => {
      const changes = inOrder(byScript(row, seed, row.differences));
      return changes.join() !== inOrder(byScript(row, seed, without)).join();
    });
  });
  expect(isNeeded).toBe(true);
});

it('each difference stands in the documentation', () => {
  const pages = ['from-scripts', 'pacing', 'rules', 'shipped-rules'].map((page) =>
    readFileSync(`docs/${page}.md`, 'utf8'),
  );
  const text = pages.join('\n').replaceAll(/\s+/g, ' ');
  expect(SAID.filter((words) => !text.includes(words))).toEqual([]);
});

it.each(SEEDS)('the cap acts on the day after the script that reads today: seed %i', async (seed) => {
  const account = new ScriptedAccount(seed, SOME_SHARED, query());
  const stopped = daysOf(daysFor(STOP_AT_CAP.days)).find((today) => {
    account.spend(today);
    return CAP({ account, today, lastDay: today }, (_, asked) => asked).some(({ amount }) => amount === 0n);
  });
  const [first = ''] = await byRule({ ...STOP_AT_CAP, days: 15 }, seed);
  expect(first.slice(0, 10)).toBe(stopped && addDays(stopped, 1));
});

describe('the total of all budgets is the same on every day', () => {
  it.each(SEEDS)('by the target that moves budget: seed %i', async (seed) => {
    const { byDay, changes } = await simulated(MOVE, seed);
    expect(changes).not.toEqual([]);
    expect(byDay.map((day) => day.with.budgetMicros)).toEqual(byDay.map((day) => day.without.budgetMicros));
  });

  it.each(SEEDS)('by the script that moves budget, with and without the differences: seed %i', (seed) => {
    for (const differences of [MOVE.differences, []]) {
      const days = Map.groupBy(byScript(MOVE, seed, differences), ({ day }) => day);
      expect(days.size).toBeGreaterThan(1);
      for (const [day, changes] of days) {
        expect([day, changes.reduce((sum, { from, to }) => sum + to - from, 0n)]).toEqual([day, 0n]);
      }
    }
  });
});
