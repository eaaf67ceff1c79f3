import { civilDateAt } from '../../domain/civil-date.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatMoney, highestOf } from '../../domain/micros.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import { type Proposal, proposalsBeside } from '../../storage/records/budgets/proposal-table.ts';
import { findAccounts, type RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { budgetsNow } from '../budgets/carry-out.ts';
import { concluded, type Ends, endAll } from '../budgets/check-intents.ts';
import type { Objection } from '../budgets/personal-change.ts';
import { accountFacts } from '../evaluate/evaluate-rules.ts';
import type { RuleNamed } from '../load-inputs.ts';
import { applyPlanned, datedAccount, isReallocation, type ShareChanges, sendPath } from './change-budgets.ts';

/**
 * Makes all planned changes, but the increases of reallocations last. An increase is made only with money that the decreases
 * have freed. The others end without a request.
 */
export async function applyInOrder(
  app: App,
  ads: AdsConnection,
  planned: readonly Intent[],
  accounts: readonly RunAccount[],
  ruleNamed: RuleNamed,
  share: ShareChanges | undefined,
): Promise<Ends> {
  const isRaised = ({ rule, from, to }: Intent) => to > from && isReallocation(ruleNamed(rule));
  const first = planned.filter((one) => !isRaised(one));
  const ends = new Map(await applyPlanned(app, ads, first, accounts, share));
  const paid: Intent[] = [];
  const unpaid: { readonly intent: Intent; readonly why: string }[] = [];
  for (const [rule, raised] of Map.groupBy(planned.filter(isRaised), (one) => one.rule)) {
    let left = await freedBy(
      app,
      ads,
      first.filter((one) => one.rule === rule),
      accounts,
    );
    for (const intent of raised) {
      const why = notFreed(intent, left);
      if (why !== undefined) unpaid.push({ intent, why });
      else paid.push(intent);
      if (why === undefined && typeof left === 'bigint') left -= intent.to - intent.from;
    }
  }
  const unsent = await endAll(sendPath(app, ads), unpaid, ({ why }) => concluded('expired', 'NOT_FREED', why));
  return new Map([...ends, ...unsent, ...(await applyPlanned(app, ads, paid, accounts, share))]);
}

/**
 * Objects to an increase of a reallocation whose money is not free yet. People may approve only some of its lines, and in any
 * order. A decrease is always allowed.
 */
export async function objectionOfReallocation(
  app: App,
  ads: AdsConnection,
  members: readonly CustomerId[],
  proposal: Proposal,
): Promise<Objection | undefined> {
  const others = await proposalsBeside(app.state.db, proposal);
  const { found } = await findAccounts(app, ads, members, 'skipped');
  const why = notFreed(proposal, await freedBy(app, ads, others, found));
  if (why === undefined) return undefined;
  return {
    code: 'NOT_FREED',
    reason: `${why} ${proposal.code} still awaits approval. Approve the decreases first.`,
    ends: false,
  };
}

/**
 * The money that the other changes of a reallocation have freed, in micros. A decrease can fail, its answer can be wrong, and a
 * person can raise the budget again. So the budgets are read, and a budget in doubt counts with its higher amount. Text says
 * why the money is unknown.
 */
async function freedBy(
  app: App,
  ads: AdsConnection,
  others: readonly Pick<DecidedChange, 'customerId' | 'budgetId' | 'from' | 'to'>[],
  accounts: readonly RunAccount[],
): Promise<bigint | string> {
  let freed = 0n;
  for (const [customerId, own] of Map.groupBy(others, (one) => one.customerId)) {
    const account = datedAccount(customerId, accounts);
    if (account === undefined) return `account ${customerId} could not be read`;
    const today = civilDateAt(app.clock.now(), account.timeZone);
    try {
      const book = await budgetsNow(sendPath(app, ads), customerId);
      const { budgets } = await accountFacts(app, book, {
        ...account,
        budgetUnitMicros: account.budgetUnitMicros,
        today,
        since: today,
        rules: [],
        dryRun: true,
      });
      for (const { budgetId, from, to } of own) {
        const budget = budgets.get(budgetId);
        if (budget === undefined) return `budget ${budgetId} is not known`;
        const given = from - highestOf(budget.amount, budget.mayBecome ?? budget.amount);
        const planned = to < from ? from - to : 0n;
        freed += given < planned ? given : planned;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return `the budgets of account ${customerId} could not be read: ${explainFailure(error)}`;
    }
  }
  return freed;
}

/** Undefined if the money is free. */
function notFreed({ rule, from, to, currency }: DecidedChange, freed: bigint | string): string | undefined {
  if (typeof freed === 'string') return `The money for this increase of ${rule} is unknown: ${freed}.`;
  if (to - from <= freed) return undefined;
  const money = (amount: bigint) => formatMoney(amount < 0n ? 0n : amount, currency);
  return `This increase needs ${money(to - from)}, but other budgets of ${rule} have freed only ${money(freed)}.`;
}
