import { addDays, type CivilDate, type DateRange, daysOf } from '../../../src/domain/civil-date.ts';
import type { QueryFile } from '../../../src/language/gaql/query-file.ts';
import type { Campaign } from '../../../src/sandbox/market/market.ts';
import type { Change, Difference } from './documented-differences.ts';
import type { Script } from './published-scripts.ts';
import { ScriptedAccount } from './scripted-account.ts';

export interface ScriptRun {
  readonly seed: number;
  readonly campaigns: number;
  readonly query: QueryFile;
  readonly days: DateRange;
  readonly script: Script;
  readonly differences: readonly Difference[];
}

/** More days than any of the scripts and differences reads. */
const BEFORE = 36;

/** Each morning, the script reads the complete days and sets amounts. Then the day is spent. */
export function runScript({ seed, campaigns, query, days, script, differences }: ScriptRun): Change[] {
  const account = new ScriptedAccount(seed, campaigns, query);
  for (const day of daysOf({ from: addDays(days.from, -BEFORE), to: addDays(days.from, -1) })) account.spend(day);
  const changes: Change[] = [];
  for (const today of daysOf(days)) {
    const earlier = new Map(account.account.budgets.map((budget) => [budget, account.amountOf(budget)]));
    changes.push(...changesOn(today, account, script, differences, changes));
    account.spend(today, earlier);
  }
  return changes;
}

function changesOn(
  today: CivilDate,
  account: ScriptedAccount,
  script: Script,
  differences: readonly Difference[],
  earlier: readonly Change[],
): Change[] {
  const waited = differences.reduce((sum, { waitDays = 0 }) => sum + waitDays, 0);
  const morning = { account, today, lastDay: addDays(today, -1 - waited) };
  const holdAll = (campaign: Campaign, wanted: bigint) => {
    const own = earlier.filter(({ budgetId }) => budgetId === campaign.budget.id);
    const moment = { ...morning, campaign, now: account.amountOf(campaign.budget), changes: own };
    return differences.reduce((asked, { hold }) => (hold === undefined ? asked : hold(asked, moment)), wanted);
  };
  const changes: Change[] = [];
  for (const { campaign, amount: wanted } of script(morning, holdAll)) {
    const { budget } = campaign;
    const now = account.amountOf(budget);
    const to = holdAll(campaign, wanted);
    // If several campaigns share a budget, the first one decides that may change it.
    if (to === now || changes.some(({ budgetId }) => budgetId === budget.id)) continue;
    account.setAmount(budget, to);
    changes.push({ day: today, budgetId: budget.id, from: now, to, wanted });
  }
  return changes;
}
