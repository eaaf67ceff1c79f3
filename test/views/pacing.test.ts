import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { rational } from '../../src/domain/rational.ts';
import type { PacingResult, PacingTarget } from '../../src/language/results/report-result.ts';
import { jsonListing, jsonObject } from '../../src/views/kit/json.ts';
import { terminalListing } from '../../src/views/kit/terminal.ts';
import { PACING, PACING_COLUMNS, shownTarget } from '../../src/views/pacing.ts';
import { paceDays } from '../../src/views/report/pacing-words.ts';
import { widthOf } from '../commands/command-tree.ts';
import { euros, paced, pacing, quiet, reading, target } from './report/pacing-targets.ts';
import { accountId, refused } from './report/results.ts';

const shown = (result: PacingResult, width: number) =>
  terminalListing(PACING, result, { width, bold: (text: string) => text });
const row = (one: PacingTarget) => jsonObject(PACING_COLUMNS, shownTarget(one, undefined));
const LONG = 'Trail running boots for winter and many other words that nobody reads (campaign 22)';

describe('the pacing table', () => {
  it('drops columns at 80 columns, with the reason below and the limit of a change', () => {
    expect(shown(pacing({ accounts: [] }), 80)).toMatchInlineSnapshot(`
      "pacekeeper pacing · 2026-11-20 12:00 UTC · sandbox (seed 1) · mode propose
      Nothing was changed. 1 target needs another budget, 0 do not.

      Targets
        Target for          State  Budget today  Should be        Target         Spent
        Shoes (campaign     low       75.00 EUR  90.00 EUR  3,000.00 EUR  1,423.10 EUR
        21)
          Paced to 3,000.00 EUR in November: 1,423.10 of 1,900.00 ideal to 2026-11-19,
          2,247.00 with today’s budget, expected 95% to 105%.
          SUGGESTED budget 11: pace budget to 3000 per month, limited by the step of
          20%: 75.00 EUR to 90.00 EUR
        Left out: Ideal to date, Projected, Account, Rule. A wider terminal or
        --format json shows them.

      Worst case
        1000000001: with today’s budget (75.00 EUR), the service may spend up to
          150.00 EUR today (2 × daily) and 2,280.00 EUR in a month (30.4 × daily).
      "
    `);
  });

  it('has names and numbers in one row if there is room', () => {
    const [head, row] = shown(pacing(), 160).split('\n').slice(4);
    expect(head).toMatch(
      /^ {2}Target for +State +Budget today +Should be +Target +Spent +Ideal to date +Projected +Account +Rule$/,
    );
    expect(row).toMatch(
      /^ {2}Shoes \(campaign 21\) +low +75\.00 EUR +90\.00 EUR +3,000\.00 EUR +1,423\.10 EUR +1,900\.00 EUR +2,180\.00 EUR /,
    );
  });

  const hostile = 'Evil\n\u001b[31mred \u202e name';
  it.each<[sentence: string, result: Partial<PacingResult>, words: string]>([
    ['a long name in full', { targets: [quiet(LONG)] }, LONG],
    ['a budget without a change', { targets: [quiet('Boots')] }, 'no change'],
    ['no control characters of a name', { targets: [quiet(hostile)] }, 'Evil ·[31mred · name'],
    [
      'the days of a target that begins during the month',
      { targets: [target({ reading: reading({ period: days('2026-11-05', '2026-11-30') }) })] },
      'Covers 2026-11-05 to 2026-11-30: 26 days of 30.',
    ],
    [
      'the days of a flight',
      { targets: [target({ reading: reading({ per: 'flight', period: days('2026-11-05', '2026-12-24') }) })] },
      'Covers 2026-11-05 to 2026-12-24: 50 days.',
    ],
    [
      'by how much a target will be missed, and why',
      { targets: [target({ reading: reading({ shortfall: { amount: 1_250_000_000n, reason: 'ceiling' } }) })] },
      'Will miss the target by 1,250.00 EUR: the ceiling is too low.',
    ],
    [
      'the amount counted for incomplete days',
      { targets: [target({ reading: reading({ unsettled: euros(75) }) })] },
      'Past days that are not complete may add up to 75.00 EUR.',
    ],
    [
      'why a request is refused',
      {
        targets: [
          target({
            decisions: [refused()],
          }),
        ],
      },
      'REFUSED  Budget 11 was changed by a rule on 2026-11-18',
    ],
    [
      'the budget of each decision, for the first ten',
      {
        targets: [
          target({
            decisions: Array.from({ length: 12 }, (_, index) => paced({ budgetId: budgetId(String(11 + index)) })),
          }),
        ],
      },
      '75.00 EUR to 90.00 EUR budget 12: SUGGESTED budget 12: pace budget',
    ],
    [
      'another rule that decides on the same budget',
      { targets: [{ ...quiet('Boots'), others: [paced({ rule: 'trim' })], shouldBe: 90_000_000n }] },
      'Rule trim also decides on budget 11 today: 75.00 to 90.00 EUR.',
    ],
    [
      'why a rule was not evaluated',
      {
        targets: [],
        rules: [{ ...NOT_RULE, notEvaluated: 'keyword_stats has no complete data for 2026-11-03' }],
      },
      'month-pacing not evaluated: keyword_stats has no complete data for 2026-11-03. Accounts: Client 1',
    ],
    ['that there is no data yet', { unread: true }, 'No data yet. Run pacekeeper extract.'],
    ['that no target could be evaluated', { targets: [] }, 'No target could be evaluated. See the reasons below.'],
    ['failures', { failures: ['Account 3: no.'] }, 'Failed Account 3: no.'],
  ])('shows %s', (_sentence, result, words) => {
    for (const width of [80, 240]) {
      const text = shown(pacing(result), width);
      // A narrow column breaks a name into lines, but cuts nothing.
      if (width === 80) expect(words.split(/\s+/).filter((word) => !text.includes(word))).toEqual([]);
      else expect(text.replace(/\s+/g, ' ')).toContain(words.replace(/\s+/g, ' '));
      expect(widthOf(text)).toBeLessThanOrEqual(width);
    }
  });

  it('counts a budget shared by two targets once in the worst case', () => {
    const twice = pacing({ targets: [target(), target({ rule: 'other' })] });
    expect(shown(twice, 200)).toContain('budget (75.00 EUR), the service may spend up to 150.00 EUR');
    const other = reading({
      current: 5_000_000n,
      budgets: [{ budgetId: budgetId('12'), amount: micros(5_000_000n), wanted: undefined, label: 'B' }],
    });
    const both = pacing({ targets: [target(), target({ reading: other })] });
    expect(shown(both, 200)).toContain('with today’s 2 budgets (80.00 EUR together), the service');
  });

  it('shows only the reasons of requested changes if there are many targets', () => {
    const many = Array.from({ length: 30 }, (_, index) => quiet(`Campaign ${index}`, accountId(1)));
    const text = shown(pacing({ targets: [...many, target()] }), 140);
    expect(text.match(/on pace: 2,950/g)).toBeNull();
    expect(text).toContain('SUGGESTED budget 11');
    expect(text).toContain('1 target needs another budget, 30 do not.');
  });
});

describe('a pacing row', () => {
  it('has the amounts in micros, the decision and its limit', () => {
    expect(row(target())).toMatchObject({
      target_micros: 3_000_000_000n,
      spent_micros: 1_423_100_000n,
      budget_micros: 75_000_000n,
      should_be_micros: 90_000_000n,
      decision: 'proposed',
      limited_by: ['step'],
      codes: [],
      state: 'low',
    });
    expect(row(target({ decisions: [refused(), refused()] }))).toMatchObject({
      decision: 'refused',
      codes: ['COOLDOWN'],
    });
    expect(row(quiet('Boots'))).toMatchObject({ decision: undefined, wanted_micros: undefined });
  });

  it('includes its days and budgets as valid JSON', () => {
    const { targets } = JSON.parse(jsonListing(PACING, pacing()));
    expect(targets[0].days).toHaveLength(30);
    expect(targets[0].days[0]).toEqual({ date: '2026-11-01', cost_micros: 74_900_000, ideal_micros: 100_000_000 });
    expect(targets[0].budgets[0]).toMatchObject({
      budget_id: '11',
      amount_micros: 75_000_000,
      wanted_micros: 143_350_000,
    });
  });
});

describe('the running totals of a target', () => {
  it('begin with the amount spent and end with the target and the forecast', () => {
    const added = paceDays(reading());
    expect(added[18]).toMatchObject({ spentSum: 1_423_100_000n, projectedSum: 1_423_100_000n, cost: 74_900_000n });
    expect(added[17]).toMatchObject({ projectedSum: undefined });
    expect(added[19]).toMatchObject({ spentSum: undefined, cost: undefined });
    expect(added.at(-1)).toMatchObject({ idealSum: 3_000_000_000n, projectedSum: 2_180_000_000n });
  });

  it('distribute an indivisible target without losing a micro', () => {
    const added = paceDays(reading({ target: rational(1_000_000_001n), days: reading().days.slice(0, 7) }));
    expect(added.reduce((sum, { ideal }) => sum + ideal, 0n)).toBe(1_000_000_001n);
  });

  it('expect nothing more once all days are complete, and everything before any is', () => {
    const all = reading().days.map((day) => ({ ...day, cost: euros(1) }));
    expect(paceDays(reading({ days: all })).every(({ projectedSum }) => projectedSum === undefined)).toBe(true);
    const none = reading().days.map((day) => ({ ...day, cost: undefined }));
    const first = paceDays(reading({ days: none, spent: euros(0), projected: euros(300) }));
    expect(first[0]).toMatchObject({ spentSum: undefined, projectedSum: 10_000_000n });
  });

  it('are even if the remaining days have no weight', () => {
    const weightless = reading().days.map((day) => (day.cost ? day : { ...day, weight: rational(0n) }));
    const added = paceDays(reading({ days: weightless, projected: euros(1533.1) }));
    expect(added[19]?.projectedSum).toBe(1_433_100_000n);
  });
});

const NOT_RULE = { rule: 'month-pacing', customerId: accountId(1), subjects: 0, fired: 0, unknown: 0 } as const;

function days(from: string, to: string) {
  return { from: civilDate(from), to: civilDate(to) };
}
