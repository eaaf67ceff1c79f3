import { addDays, type CivilDate } from '../../../domain/civil-date.ts';
import { listed } from '../../../domain/wording.ts';
import { ownOf } from '../language/window.ts';
import type { Rule } from '../rule.ts';
import type { Truth } from './evaluate-condition.ts';
import { type PlannedAccount, planRule, type RulePlan } from './plan-rule.ts';
import { comparedDay } from './resolve-window.ts';

/** Limits the search, because a list of holidays could contain every day by mistake. */
const HOLIDAYS_MAX = 31;

export function planLasting(rule: Rule, account: PlannedAccount): RulePlan {
  const plan = planRule(rule, account);
  // On earlier days, only the condition matters.
  const condition: Rule = { ...rule, change: undefined, alert: undefined, limits: { ...rule.limits, minimum: [] } };
  return { ...plan, earlier: earlierAccounts(plan, account).map((one) => planRule(condition, one)) };
}

/** Newest first. Omits holidays if the rule compares weekdays. */
function earlierAccounts(plan: RulePlan, account: PlannedAccount): PlannedAccount[] {
  const { lastingDays } = plan.rule;
  const accounts: PlannedAccount[] = [];
  for (let back = 1; accounts.length < lastingDays - 1 && back < lastingDays + HOLIDAYS_MAX; back += 1) {
    const moved = { today: addDays(account.today, -back), lastSettled: addDays(account.lastSettled, -back) };
    const one = { ...account, ...moved };
    if (holidayOf(plan, one) === undefined) accounts.push(one);
  }
  return accounts;
}

export function holidayWords(plan: RulePlan, account: PlannedAccount): string | undefined {
  const holiday = holidayOf(plan, account);
  return holiday && `${holiday} is a holiday, and rules do not compare holidays with other days`;
}

function holidayOf({ rule, windows }: RulePlan, account: PlannedAccount): CivilDate | undefined {
  const compared = [...windows.values()].flatMap(({ window }) =>
    window.kind === 'same_weekday' ? comparedDay(ownOf(window, rule.over), account) : [],
  );
  return compared.find((day) => account.holidays?.has(day));
}

export function allOf<Subject>(tests: readonly ((subject: Subject) => Truth)[]): (subject: Subject) => Truth {
  return (subject) => {
    let all: Truth = 'true';
    for (const test of tests) {
      const one = test(subject);
      if (one === 'false') return one;
      if (one === 'unknown') all = one;
    }
    return all;
  };
}

export function truthByDay(days: readonly { readonly day: CivilDate; readonly truth: Truth }[]): string {
  const inOrder = days.toSorted((one, other) => (one.day < other.day ? -1 : 1));
  return (['true', 'false', 'unknown'] as const)
    .flatMap((truth) => {
      const own = inOrder.filter((one) => one.truth === truth).map(({ day }) => day);
      return own.length === 0 ? [] : [`${truth} on ${listed(own)}`];
    })
    .join('; ');
}
