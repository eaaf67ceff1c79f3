import { addDays, type CivilDate, daysBetween, daysOf } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import type { Member, MemberDemand } from '../../src/domain/member.ts';
import { evaluateRules } from '../../src/language/rules/evaluate/evaluate-rules.ts';
import type { Rule } from '../../src/language/rules/rule.ts';
import type { FigureAt, Year } from './year.ts';

export interface Evaluated {
  readonly rules: readonly Rule[];
  /** Days until the rules see a day. */
  readonly waitDays: number;
  readonly holidays: ReadonlySet<CivilDate>;
  /** The places of the subjects that are looked at. */
  readonly subjects: readonly number[];
  readonly figures: FigureAt;
}

/**
 * The subjects for which each rule fires when this is its newest complete day, by the product's own evaluation. Undefined for a rule
 * that was not evaluated.
 */
export function firing(
  year: Year,
  day: number,
  { rules, waitDays, holidays, subjects, figures }: Evaluated,
): (Set<number> | undefined)[] {
  const lastSettled = year.days[day];
  if (lastSettled === undefined) throw new RangeError(`There is no day ${day}.`);
  const first = year.days[0] ?? lastSettled;
  const account = {
    customerId: customerId('9000000001'),
    currency: 'EUR',
    today: addDays(lastSettled, 1 + waitDays),
    lastSettled,
    holidays,
    readToday: false,
    highestOn: () => undefined,
    budgets: new Map(),
    settled: (date: CivilDate) => date >= first && date <= lastSettled,
  };
  const today = day + 1 + waitDays;
  const evaluations = evaluateRules(rules, account, ({ ids, stretches, metrics }) => {
    const days = stretches.map((stretch) => daysOf(stretch).map((date) => daysBetween(first, date)));
    return subjects.map((subject) => memberOf(subject, ids, days, metrics, today, figures));
  });
  return rules.map((rule) => {
    const evaluation = evaluations.get(rule);
    if (evaluation?.kind !== 'evaluated') return undefined;
    const fired = evaluation.verdicts.filter(({ truth }) => truth === 'true');
    return new Set(fired.map(({ subject }) => Number(subject.criterionId ?? subject.campaignId) - 1));
  });
}

function memberOf(
  subject: number,
  ids: MemberDemand['ids'],
  stretches: readonly (readonly number[])[],
  metrics: MemberDemand['metrics'],
  today: number,
  figures: FigureAt,
): Member {
  return {
    // Ids are above zero. A keyword has its ad group's and its own.
    ids: ids.map(() => BigInt(subject + 1)),
    stretches: stretches.map((days) => {
      const sums = metrics.map(({ column }) => {
        const held = days.flatMap((day) => figures(column, subject, day, today) ?? []);
        return held.length === 0 ? undefined : BigInt(held.reduce((sum, value) => sum + value, 0));
      });
      const known = sums.filter((sum) => sum !== undefined);
      return known.length === 0 ? undefined : { sums: known, attributes: [] };
    }),
  };
}
