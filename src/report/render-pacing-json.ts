import { frozenLines } from '../domain/frozen.ts';
import { roundHalfAway } from '../domain/rational.ts';
import { paceDays } from './pacing-days.ts';
import type { PacingResult } from './pacing-result.ts';
import { pacingRow } from './pacing-row.ts';
import { accountJson, decisionJson, ruleJson } from './render-json.ts';
import { toJson } from './to-json.ts';

/** Everything as one JSON value; the days of each target's month with it. */
export function renderPacingJson(result: PacingResult): string {
  return toJson({
    target: result.target,
    mode: result.mode,
    evaluated_at: result.evaluatedAt,
    notes: [...frozenLines(result.frozen), ...result.notes],
    example: result.example,
    accounts: result.accounts.map(accountJson),
    rules: result.rules.map(ruleJson),
    targets: result.targets.map((target) => ({
      ...pacingRow(target),
      budgets: target.reading.budgets.map(({ budgetId, amount, wanted, label }) => ({
        budget_id: budgetId,
        label,
        amount_micros: amount,
        wanted_micros: wanted && roundHalfAway(wanted),
      })),
      decisions: target.decisions.map(decisionJson),
      others: target.others.map(decisionJson),
      days: paceDays(target.reading).map(({ date, cost, ideal }) => ({ date, cost_micros: cost, ideal_micros: ideal })),
    })),
    failures: result.failures,
  });
}
