import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import { readCampaignBudgets } from '../apis/ads/read-account.ts';
import type { CampaignStatus } from '../domain/campaign-status.ts';
import type { BudgetId, CampaignId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import { lastSet } from '../store/budgets/past-changes.ts';
import type { StateDb } from '../store/sqlite/open-state.ts';

/** A budget as `pacekeeper.yaml` declares it, for interfaces that cannot be asked. */
export interface DeclaredBudget {
  readonly amount: Micros;
  readonly campaigns: readonly CampaignId[];
}

/** An account's budgets at the instant they were read; true for no longer than that. */
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
      /** Undefined where the service does not say. */
      readonly campaignStatus: CampaignStatus | undefined;
    }
  >;
  readonly amounts: ReadonlyMap<BudgetId, Micros>;
  /** Budgets that there are and whose daily amount the service does not show. */
  readonly unreadable: ReadonlySet<BudgetId>;
  /** Budgets that the service says are no more; their amounts are still read. */
  readonly removed: ReadonlySet<BudgetId>;
  /** What the settings say now, word for word. */
  readonly declared: ReadonlyMap<BudgetId, Micros>;
}

/** The budgets of an account now. Throws `ApiError` when the interface has them and cannot be read. */
export async function readBudgets(
  deps: { readonly ads: AdsConnection; readonly db: StateDb },
  customer: CustomerId,
  declared: ReadonlyMap<BudgetId, DeclaredBudget>,
): Promise<BudgetBook> {
  const answer = await readCampaignBudgets(deps.ads, customer);
  const said = new Map([...declared].map(([id, { amount }]) => [id, amount]));
  // Declared budgets are for interfaces that have none to show; where nothing is declared an empty list is what was read.
  const rows = answer.kind === 'offered' ? answer.value : [];
  const readable = rows.flatMap(({ amount, ...row }) => (amount === undefined ? [] : [{ ...row, amount }]));
  const shown = new Map(readable.map((row) => [row.budgetId, row.amount]));
  const without = rows.filter(({ budgetId, removed }) => !shown.has(budgetId) && removed !== true);
  const unshown = without.map(({ budgetId }) => budgetId);
  if (answer.kind === 'offered' && (readable.length > 0 || declared.size === 0)) {
    return {
      source: 'read',
      byCampaign: new Map(readable.map((row) => [row.campaignId, { ...row, source: 'read' }])),
      amounts: shown,
      unreadable: new Set(unshown),
      removed: new Set(rows.filter(({ removed }) => removed).map(({ budgetId }) => budgetId)),
      declared: said,
    };
  }
  const amounts = await declaredAmounts(deps.db, customer, said);
  const byCampaign = [...declared].flatMap(([budgetId, { campaigns, amount }]) =>
    campaigns.map((id) => {
      const about = { budgetId, amount: amounts.get(budgetId) ?? amount, source: 'declared' } as const;
      return [id, { ...about, campaignName: undefined, campaignStatus: undefined }] as const;
    }),
  );
  return {
    source: 'declared',
    byCampaign: new Map(byCampaign),
    amounts,
    unreadable: new Set(unshown.filter((id) => !declared.has(id))),
    removed: new Set(),
    declared: said,
  };
}

/**
 * What we last set, for as long as the settings say what they said then: another declared amount is a person's correction
 * and wins over our ledger.
 */
async function declaredAmounts(
  db: StateDb,
  customer: CustomerId,
  declared: ReadonlyMap<BudgetId, Micros>,
): Promise<Map<BudgetId, Micros>> {
  const ledger = await lastSet(db, customer);
  return new Map(
    [...declared].map(([id, amount]) => {
      const last = ledger.get(id);
      const corrected = last?.declared !== undefined && last.declared !== amount;
      return [id, last === undefined || corrected ? amount : last.to];
    }),
  );
}
