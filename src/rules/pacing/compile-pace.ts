import { type CivilDate, daysOf } from '../../domain/civil-date.ts';
import type { Member, MemberDemand } from '../../domain/member.ts';
import type { EvaluatedAccount } from '../evaluate/evaluated-account.ts';
import { CLICKS, COST, columnOf, type RulePlan, STATUS } from '../evaluate/plan-rule.ts';
import type { Candidate } from '../evaluate/subjects.ts';
import { evaluatePace, type PaceFinding } from './evaluate-pace.ts';
import { targetOfDays } from './month-target.ts';
import type { PaceScene } from './pace-scene.ts';
import { Costs } from './paced-budgets.ts';

/** A pace as a function of a subject; undefined for a rule that does not pace. */
export function compilePace(
  { rule, pace: plan }: RulePlan,
  demand: MemberDemand,
  account: EvaluatedAccount,
): ((candidate: Candidate) => PaceFinding) | undefined {
  const { change } = rule;
  if (change?.kind !== 'pace' || plan === undefined) return undefined;
  const placeOfDay = new Map<CivilDate, number>();
  demand.stretches.forEach(({ from, to }, place) => {
    if (from === to) placeOfDay.set(from, place);
  });
  const status = demand.attributes.indexOf(columnOf(rule.columns, STATUS) ?? '');
  const { pace } = change;
  const days = daysOf(plan.month);
  const scene: PaceScene = {
    days,
    rest: days.filter((day) => day >= plan.today),
    target: targetOfDays(pace, plan.month),
    pace,
    plan,
    limits: rule.limits,
    account,
    nobody: rule.where === undefined ? 'no campaign has rows' : 'no campaign with rows is chosen by "where"',
    costs: new Costs(demand, columnOf(rule.columns, COST) ?? '', (day) => placeOfDay.get(day)),
    clicks: new Costs(demand, columnOf(rule.columns, CLICKS) ?? '', (day) => placeOfDay.get(day)),
    placesOfEarlier: plan.earlier.map(({ weeks }) =>
      weeks.map((week) => {
        const days = new Set(week);
        return demand.stretches.flatMap(({ from }, place) => (days.has(from) ? [place] : []));
      }),
    ),
    statusOf: (member) => (status < 0 ? undefined : newestText(member, status)),
  };
  return (candidate) => evaluatePace(candidate, scene);
}

function newestText({ stretches }: Member, attribute: number): string | undefined {
  const value = stretches.findLast((stretch) => stretch !== undefined)?.attributes[attribute];
  return typeof value === 'string' ? value : undefined;
}
