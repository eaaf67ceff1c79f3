import type { DateRange } from '../domain/civil-date.ts';
import { type BudgetId, type CampaignId, type CustomerId, campaignId } from '../domain/ids.ts';
import { formatMoney, type Micros } from '../domain/micros.ts';
import { evaluateCondition, explainCondition, type Truth } from './evaluate-expression.ts';
import { guardTarget, type RefusalCode, refused } from './guard.ts';
import { type Mode, narrower, type Rule } from './rule.ts';
import { valuesOf } from './rule-names.ts';

/** One campaign with what is known of it over the rule's days. */
export interface Subject {
  readonly campaignId: bigint;
  readonly metrics: ReadonlyMap<string, bigint | number>;
  readonly attributes: ReadonlyMap<string, bigint | number | string | null>;
}

export interface CampaignBudget {
  readonly budgetId: BudgetId;
  readonly amount: Micros;
  /** Whether the amount was read from the interface or is declared in the settings. */
  readonly source: 'read' | 'declared';
  readonly campaignName: string | undefined;
}

/** What stands around the evaluation of an account's campaigns. */
export interface AccountFacts {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly budgets: ReadonlyMap<CampaignId, CampaignBudget>;
  /** Budgets that already had a change on the account's today, with what became of it. */
  readonly decidedToday: ReadonlyMap<BudgetId, string>;
  /** Budgets with a change whose outcome is not known yet. */
  readonly open: ReadonlySet<BudgetId>;
}

export type Decision =
  | {
      readonly kind: 'change';
      readonly budgetId: BudgetId;
      readonly from: Micros;
      readonly to: Micros;
      readonly amountSource: CampaignBudget['source'];
      readonly currency: string;
      readonly mode: Mode;
      /** Why, with the numbers it was decided on. */
      readonly reason: string;
    }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly reason: string };

/** What a rule says of one campaign; `decision` only where it fires. */
export interface Verdict {
  readonly rule: string;
  readonly customerId: CustomerId;
  readonly campaignId: CampaignId;
  readonly campaignName: string | undefined;
  readonly truth: Truth;
  /** The condition with its values. */
  readonly explanation: string;
  readonly decision: Decision | undefined;
}

/** Budgets that a rule has decided on in this run, with who it was: one decision per budget, the first in order wins. */
export type Claims = Map<BudgetId, string>;

/** A rule on every campaign of an account. Pure but for `claims`, which it adds its own decisions to. */
export function evaluateRule(
  rule: Rule,
  account: AccountFacts,
  subjects: readonly Subject[],
  days: DateRange,
  widest: Mode,
  claims: Claims,
): Verdict[] {
  // An id that is none comes from a service gone wrong: there is no campaign to decide on.
  return subjects
    .filter(({ campaignId: id }) => id > 0n)
    .map((subject) => {
      const id = campaignId(subject.campaignId.toString());
      const budget = account.budgets.get(id);
      const values = valuesOf({ ...subject, budget: budget?.amount });
      const truth = evaluateCondition(rule.when, values);
      const explanation = explainCondition(rule.when, rule.whenText, values);
      const name = subject.attributes.get('campaign_name') ?? budget?.campaignName;
      const campaignName = typeof name === 'string' ? name : undefined;
      const because = `${explanation}, ${days.from} to ${days.to}`;
      const claimant = `${rule.name} for campaign ${campaignName ?? id}`;
      const decision = truth === 'true' ? decide(rule, account, budget, because, claimant, widest, claims) : undefined;
      return {
        rule: rule.name,
        customerId: account.customerId,
        campaignId: id,
        campaignName,
        truth,
        explanation,
        decision,
      };
    });
}

function decide(
  rule: Rule,
  account: AccountFacts,
  budget: CampaignBudget | undefined,
  because: string,
  claimant: string,
  widest: Mode,
  claims: Claims,
): Decision {
  const { currency } = account;
  if (!budget) return refused('BUDGET_NOT_KNOWN', "The campaign's budget is not known.");
  if (currency === undefined) return refused('CURRENCY_NOT_KNOWN', "The account's currency is not known.");
  if (account.open.has(budget.budgetId)) {
    return refused('OUTCOME_OPEN', `The outcome of an earlier change of budget ${budget.budgetId} is not known yet.`);
  }
  const today = account.decidedToday.get(budget.budgetId);
  if (today !== undefined) {
    const made = today === 'applied' || today === 'confirmed';
    const end = made ? '' : `, which was ${today}`;
    return refused('ALREADY_DECIDED_TODAY', `Budget ${budget.budgetId} already had its change of the day${end}.`);
  }
  const winner = claims.get(budget.budgetId);
  if (winner !== undefined) {
    return refused('DECIDED_BY_OTHER', `Budget ${budget.budgetId} is shared, and was decided on by ${winner}.`);
  }
  const guarded = guardTarget(rule, budget.amount, currency);
  if (guarded.kind === 'refused') return guarded;
  claims.set(budget.budgetId, claimant);
  const limited = guarded.limitedBy === undefined ? '' : `, held by the ${guarded.limitedBy}`;
  const change = `${rule.change.text}${limited}: ${formatMoney(budget.amount, currency)} to ${formatMoney(guarded.to, currency)}`;
  return {
    kind: 'change',
    budgetId: budget.budgetId,
    from: budget.amount,
    to: guarded.to,
    amountSource: budget.source,
    currency,
    mode: narrower(rule.mode, widest),
    reason: `${because}; ${change}`,
  };
}
