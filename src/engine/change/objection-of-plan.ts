import { formatMoneyRounded, micros, roundDownToUnit, roundUpToUnit, smallestUnit } from '../../domain/micros.ts';
import { multiply, rational } from '../../domain/rational.ts';
import { targetAsRule } from '../../language/targets/target.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { openIntents } from '../../storage/records/budgets/intent-table.ts';
import type { Proposal } from '../../storage/records/budgets/proposal-table.ts';
import { findAccounts } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import type { Objection } from '../budgets/personal-change.ts';
import { evaluateRules, wholeVerdict } from '../evaluate/evaluate-rules.ts';
import type { Inputs } from '../load-inputs.ts';
import { isReallocation } from './change-budgets.ts';
import { objectionOfReallocation } from './reallocation.ts';

/**
 * Objects to an increase that the target no longer has room for. The report left room for all increases of its plan. Since
 * then, a person may have changed another budget of the plan, or a new day may have begun. So all accounts of the target
 * are read and evaluated again. A decrease is always allowed.
 */
export async function objectionOfPlan(
  app: App,
  ads: AdsConnection,
  { rules, targets, rates }: Pick<Inputs, 'rules' | 'targets' | 'rates'>,
  proposal: Proposal,
): Promise<Objection | undefined> {
  const { rule: name, customerId, budgetId, code, from, to } = proposal;
  const target = targets.find((one) => one.name === name);
  const rule = rules.find((one) => one.name === name && one.change?.kind === 'pace');
  if (to <= from || (target === undefined && rule === undefined)) return undefined;
  const members = target === undefined ? [customerId] : [...target.rules.keys()];
  if (target !== undefined && isReallocation(targetAsRule(target))) {
    return objectionOfReallocation(app, ads, members, proposal);
  }
  // An account that is gone withholds the target, and must not end the other changes of the plan.
  const { found } = await findAccounts(app, ads, members, 'skipped');
  const {
    verdicts,
    rules: results,
    failures,
  } = await evaluateRules(app, ads, rule === undefined ? [] : [rule], found, {
    dryRun: true,
    keep: () => true,
    take: wholeVerdict,
    targets: target && [target],
    rates,
  });
  const paced = verdicts.flatMap(({ subject, pace }) => (pace === undefined ? [] : [{ subject, pace }]));
  const own = paced.find(
    ({ subject, pace }) =>
      subject.customerId === customerId && pace.budgets.some((budget) => budget.budgetId === budgetId),
  )?.pace;
  const unknown = (why: string): Objection => ({
    code: 'PLAN_UNKNOWN',
    reason: `The room of ${name} for today is unknown: ${why}. ${code} still awaits approval.`,
    ends: false,
  });
  if (own?.most === undefined) {
    const reason = results.find(({ notEvaluated }) => notEvaluated !== undefined)?.notEvaluated;
    return unknown(own?.why ?? reason ?? failures[0] ?? 'the budget is not part of it');
  }
  const ofPlan = new Set(paced.flatMap(({ pace }) => pace.budgets.map((budget) => budget.budgetId)));
  const [open] = (await openIntents(app.state.db)).filter((intent) => ofPlan.has(intent.budgetId));
  if (open !== undefined) return unknown(`the outcome of B${open.id} is unknown`);
  const { current, most, rate = SAME, currency } = own;
  const after = current + roundUpToUnit(multiply(rational(to - from), rate.rate), ONE);
  if (after * most.d <= most.n) return undefined;
  const unit = (currency === undefined ? undefined : smallestUnit(currency)) ?? ONE;
  const sum = formatMoneyRounded(after, currency);
  const room = formatMoneyRounded(roundDownToUnit(most, unit), currency);
  return {
    code: 'BEYOND_PLAN',
    reason: `The budgets of ${name} would come to ${sum} today, but its target has room for ${room}. ${code} still awaits approval. The next report decides again.`,
    ends: false,
  };
}

const SAME = { rate: rational(1n) };
const ONE = micros(1n);
