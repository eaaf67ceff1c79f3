import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import { readCampaignBudgets } from '../apis/ads/read-account.ts';
import type { BudgetId, CampaignId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import { lastSetAmounts } from '../store/intent-table.ts';
import type { StateDb } from '../store/open-state.ts';

/** A budget as `pacekeeper.yaml` declares it, for interfaces that cannot be asked. */
export interface DeclaredBudget {
  readonly amount: Micros;
  readonly campaigns: readonly CampaignId[];
}

export interface BudgetBook {
  /** `read`: what the interface says now. `declared`: the settings, corrected by what we have set since. */
  readonly source: 'read' | 'declared';
  readonly byCampaign: ReadonlyMap<
    CampaignId,
    {
      readonly budgetId: BudgetId;
      readonly amount: Micros;
      readonly source: 'read' | 'declared';
      readonly campaignName: string | undefined;
    }
  >;
  readonly amounts: ReadonlyMap<BudgetId, Micros>;
}

/** The budgets of an account now. Throws `ApiError` when the interface has them and cannot be read. */
export async function readBudgets(
  deps: { readonly ads: AdsConnection; readonly db: StateDb },
  customer: CustomerId,
  declared: ReadonlyMap<BudgetId, DeclaredBudget>,
): Promise<BudgetBook> {
  const answer = await readCampaignBudgets(deps.ads, customer);
  // Declared budgets are for interfaces that have none to show; where nothing is declared an empty list is what was read.
  const declares = declared.size > 0;
  if (answer.kind === 'offered' && (answer.value.length > 0 || !declares)) {
    return {
      source: 'read',
      byCampaign: new Map(answer.value.map((row) => [row.campaignId, { ...row, source: 'read' }])),
      amounts: new Map(answer.value.map((row) => [row.budgetId, row.amount])),
    };
  }
  const set = await lastSetAmounts(deps.db, customer);
  const amounts = new Map([...declared].map(([id, { amount }]) => [id, set.get(id) ?? amount]));
  const byCampaign = [...declared].flatMap(([budgetId, { campaigns, amount }]) =>
    campaigns.map(
      (id) =>
        [
          id,
          { budgetId, amount: amounts.get(budgetId) ?? amount, source: 'declared', campaignName: undefined },
        ] as const,
    ),
  );
  return { source: 'declared', byCampaign: new Map(byCampaign), amounts };
}
