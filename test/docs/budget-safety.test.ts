import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rational } from '../../src/domain/rational.ts';
import type { CrashPoint } from '../../src/engine/budgets/budget-deps.ts';
import { totalsOf } from '../../src/language/rules/decide/account-totals.ts';
import type { AccountFacts, BudgetFacts, RequestedChange } from '../../src/language/rules/decide/decision.ts';
import { guardRequest, type Winner } from '../../src/language/rules/decide/guard.ts';
import type { RefusalCode } from '../../src/language/rules/decide/refusal.ts';
import { OPERATIONS_MAX } from '../../src/services/ads/mutate-budgets.ts';
import { INTENT_TRANSITIONS } from '../../src/storage/records/budgets/intent-table.ts';
import {
  accountOf,
  B71,
  B72,
  budgetOf,
  type LimitTexts,
  limitsOf,
  money,
  no,
  past,
  requestOf,
} from '../rules/decide/guard-fixtures.ts';

const PAGE = readFileSync('docs/budget-safety.md', 'utf8');

/** The first cells of the table that stands below the heading, with its head. */
function firstCells(heading: string): string[] {
  const section = PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| ([^|]+) \|/gm)].map((match) => match[1] ?? '');
}

const names = (cells: readonly string[]) => cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, n]) => n));

const UNSENT = 'before `sending` is committed';
const IN_DOUBT = 'later, before `answer` is committed';
const RECORDED = 'after `check` has ended the change, or after `answer` is committed';
const BY_PEOPLE = 'while you approve or reject';

/** The row of the page that states the result of a crash at each place of the send path. */
const CRASHES: Readonly<Record<CrashPoint, string>> = {
  'plan:before-commit': UNSENT,
  'plan:after-commit': UNSENT,
  'undo:before-commit': UNSENT,
  'undo:after-commit': UNSENT,
  'approve:after-commit': UNSENT,
  'validate:before-send': UNSENT,
  'validate:after-answer': UNSENT,
  'validated:before-commit': UNSENT,
  'validated:after-commit': UNSENT,
  'sending:before-commit': UNSENT,
  'sending:after-commit': IN_DOUBT,
  'mutate:before-send': IN_DOUBT,
  'mutate:after-answer': IN_DOUBT,
  'answer:before-commit': IN_DOUBT,
  'check:before-commit': UNSENT,
  'check:after-commit': RECORDED,
  'answer:after-commit': RECORDED,
  'approve:before-commit': BY_PEOPLE,
  'decline:before-commit': BY_PEOPLE,
  'decline:after-commit': BY_PEOPLE,
};

/** A budget of 40.00 EUR and a request for it, with what is wrong with them. */
interface Situation {
  request: Partial<RequestedChange>;
  limits: LimitTexts;
  budget: Partial<BudgetFacts>;
  account: Partial<AccountFacts>;
  winner: Winner | undefined;
}

const requesting = (units: number): Partial<RequestedChange> => ({
  target: rational(BigInt(Math.round(units * 1_000_000))),
});
const changes = (...all: BudgetFacts['changes']): Partial<BudgetFacts> => ({ changes: all });

const unread = (budgetId: typeof B71) => ({ budgetId, campaigns: [], total: undefined });

/** What the run itself asks, of all changes together. */
const BY_RUN = ['CHANGES_PER_RUN', 'PLAN_INCOMPLETE'] as const;

/** What makes each guard refuse. */
const TROUBLES: Readonly<Record<Exclude<RefusalCode, (typeof BY_RUN)[number]>, Partial<Situation>>> = {
  FROZEN: { account: { frozen: 'frozen by anna' } },
  TOTAL_BUDGET: { account: { unreadable: [{ ...unread(B71), total: { amount: undefined } }] } },
  BUDGET_NOT_KNOWN: { budget: { amount: money('0') } },
  BUDGET_REMOVED: { budget: { removed: true } },
  CURRENCY_NOT_KNOWN: { account: { currency: undefined } },
  OUTCOME_OPEN: { budget: { outcomeOpen: true } },
  AMOUNT_IN_DOUBT: {
    budget: { inDoubt: { expected: money('50'), found: money('40'), until: '2026-11-20T13:00:00Z' } },
  },
  NOT_SERVING: { request: { stopped: [{ label: 'C22 (campaign 22)', status: 'REMOVED' }] } },
  ALREADY_DECIDED_TODAY: { budget: { decidedToday: 'applied' } },
  WAITS_FOR_APPROVAL: { budget: { proposed: 'K7PX' } },
  REJECTED: { budget: { rejected: no('2026-11-20') } },
  DECIDED_BY_OTHER: { winner: { rule: 'cut', subject: 'C22' } },
  FOREIGN_CHANGE: { budget: changes(past('2026-11-20', 'foreign', '50', '40')) },
  COOLDOWN: { limits: { cooldown: 3 }, budget: changes(past('2026-11-19', 'rule', '50', '40')) },
  NOT_ENOUGH_DATA: { request: { tooLittle: [{ name: 'clicks', found: '12', least: '30', unit: 'count' }] } },
  TARGET_UNKNOWN: { request: { target: undefined } },
  NOT_POSITIVE: { request: requesting(0) },
  TOO_LARGE: { request: { target: rational(2n ** 63n) } },
  UNIT_SANITY: { request: requesting(801) },
  AT_DRIFT: {
    request: requesting(35),
    limits: { drift: ['20%', 30] },
    budget: changes(past('2026-11-01', 'rule', '50', '40')),
  },
  AT_FLOOR: { request: requesting(35), limits: { floor: '40' } },
  AT_CEILING: { request: requesting(45), limits: { ceiling: '40' } },
  NO_CHANGE: { request: requesting(40.001) },
  OUTSIDE_LIMITS: { request: requesting(45), limits: { floor: '50' } },
  TOTAL_UNKNOWN: { request: requesting(45), account: { dailyTotalMax: money('100'), unreadable: [unread(B72)] } },
  ACCOUNT_TOTAL: { request: requesting(45), account: { dailyTotalMax: money('44') } },
  EXPOSURE: { request: requesting(45), account: { dailyExposureMax: money('89') } },
};

function refusalOf(troubles: readonly Partial<Situation>[]): string {
  const all: Situation = { request: {}, limits: {}, budget: {}, account: {}, winner: undefined };
  for (const { request, limits, budget, account, winner } of troubles) {
    Object.assign(all.request, request);
    Object.assign(all.limits, limits);
    Object.assign(all.budget, budget);
    Object.assign(all.account, account);
    all.winner = winner ?? all.winner;
  }
  const account = accountOf([budgetOf(B71, '40', all.budget)], all.account);
  const { rule, ...request } = requestOf({ changes: all.request });
  const guarded = guardRequest(
    { ...request, rule: { ...rule, limits: limitsOf(all.limits) } },
    account,
    totalsOf(account),
    all.winner,
  );
  return guarded.kind === 'refused' ? guarded.code : guarded.kind;
}

describe('docs/budget-safety.md', () => {
  const codes = names(firstCells('The guards'));

  it('names every refusal code and no other', () => {
    expect(codes.toSorted()).toEqual([...Object.keys(TROUBLES), ...BY_RUN].toSorted());
  });

  it('lists the codes in the order of the guards', () => {
    expect(codes.slice(-2)).toEqual(BY_RUN);
    const asked = codes.slice(0, -2) as (keyof typeof TROUBLES)[];
    // Whatever follows in the table is wrong too, and the earliest is named.
    const named = asked.map((_, index) =>
      refusalOf(
        asked
          .slice(index)
          .map((code) => TROUBLES[code])
          .reverse(),
      ),
    );
    expect(named).toEqual(asked);
  });

  it('states the result of a crash at every place of the send path', () => {
    const [, ...rows] = firstCells('Crashes');
    expect(rows.toSorted()).toEqual([...new Set(Object.values(CRASHES))].toSorted());
  });

  it('lists every state of an intent and the states that may follow', () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]*)\|$/gm)]
      .filter(([, state = '']) => state in INTENT_TRANSITIONS)
      .map(([, state, next = '']) => [state, names([next])]);
    expect(Object.fromEntries(rows)).toEqual(INTENT_TRANSITIONS);
  });

  it('has the API’s limit of operations', () => {
    expect(PAGE).toContain(`at most ${OPERATIONS_MAX.toLocaleString('en-US')} operations`);
  });
});
