import { roundHalfAway } from '../domain/rational.ts';
import type { PacingTarget } from './pacing-result.ts';
import { knownSum } from './pacing-words.ts';

/** A row a target; amounts that are fractions of a micro are rounded to the nearest one. */
export function pacingRow(target: PacingTarget): Readonly<Record<string, unknown>> {
  const { reading, decisions } = target;
  const codes = [...new Set(decisions.flatMap(({ code }) => code ?? []))];
  return {
    rule: target.rule,
    customer_id: target.customerId,
    subject: target.subject,
    campaign_id: target.campaignId,
    campaign_name: target.campaignName,
    budget_id: target.budgetId,
    currency: target.currency,
    from: reading.month.from,
    to: reading.month.to,
    state: reading.state,
    target_micros: roundHalfAway(reading.target),
    month_target_micros: reading.monthTarget,
    carried_micros: roundHalfAway(reading.carried),
    spent_micros: knownSum(reading, reading.spent),
    unsettled_micros: knownSum(reading, reading.unsettled),
    settled_until: reading.newestSettled,
    ideal_to_date_micros: knownSum(reading, reading.idealToDate),
    budgeted_micros: knownSum(reading, reading.budgeted),
    projected_micros: knownSum(reading, reading.projected),
    budget_micros: reading.current,
    wanted_micros: reading.wanted && roundHalfAway(reading.wanted),
    should_be_micros: target.shouldBe,
    decision: decisionOf(target),
    limited_by: target.limitedBy,
    codes,
    why: reading.why,
    curve: reading.curve.kind,
    learned_from_days: reading.curve.learnedFrom,
  };
}

function decisionOf({ decisions }: PacingTarget): 'proposed' | 'refused' | undefined {
  if (decisions.some(({ state }) => state === 'proposed')) return 'proposed';
  return decisions.length > 0 ? 'refused' : undefined;
}
