import type { CampaignStatus } from '../../domain/campaign-status.ts';
import { instantText } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { Clock } from '../../domain/ports.ts';
import type { UnreadableBudget } from '../../domain/unreadable-budget.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { readCampaignBudgets } from '../../services/ads/read-account.ts';
import { lastSet } from '../../storage/records/budgets/past-changes.ts';
import type { StateDb } from '../../storage/records/record-store.ts';

/** A budget declared in `pacekeeper.yaml`, for interfaces that cannot be read. */
export interface DeclaredBudget {
  readonly amount: Micros;
  readonly campaigns: readonly CampaignId[];
}

export interface BudgetBook {
  /** `read`: the service's answer. `declared`: the settings, updated by our own later changes. */
  readonly source: 'read' | 'declared';
  /** When the request began, in UTC. The amounts are at most one lag older. */
  readonly readAt: string;
  readonly byCampaign: ReadonlyMap<
    CampaignId,
    {
      readonly budgetId: BudgetId;
      readonly amount: Micros;
      readonly source: 'read' | 'declared';
      readonly campaignName: string | undefined;
      readonly campaignStatus: CampaignStatus | undefined;
    }
  >;
  readonly amounts: ReadonlyMap<BudgetId, Micros>;
  /** Existing budgets whose daily amount the service does not show. */
  readonly unreadable: ReadonlyMap<BudgetId, UnreadableBudget>;
  /** Removed budgets. Their last amounts can still be in `amounts`. */
  readonly removed: ReadonlySet<BudgetId>;
  /** The amounts in the settings, not updated by our own changes. */
  readonly declared: ReadonlyMap<BudgetId, Micros>;
}

/** Throws `ApiError` if the request fails, except if the service offers no budgets. */
export async function readBudgets(
  deps: { readonly ads: AdsConnection; readonly db: StateDb; readonly clock: Clock },
  customer: CustomerId,
  declared: ReadonlyMap<BudgetId, DeclaredBudget>,
): Promise<BudgetBook> {
  const readAt = instantText(deps.clock.now());
  const answer = await readCampaignBudgets(deps.ads, customer);
  const rows = answer ?? [];
  const readable = rows.flatMap(({ amount, ...row }) => (amount === undefined ? [] : [{ ...row, amount }]));
  const shown = new Map(readable.map((row) => [row.budgetId, row.amount]));
  const without = rows.filter(({ budgetId, removed }) => !shown.has(budgetId) && removed !== true);
  const unreadable = new Map(
    [...Map.groupBy(without, ({ budgetId }) => budgetId)].map(([budgetId, own]) => [
      budgetId,
      { budgetId, campaigns: own.map(({ campaignId }) => campaignId), total: own[0]?.total },
    ]),
  );
  // Declaring a daily amount does not make a total budget daily.
  const usable = [...declared].filter(([id]) => unreadable.get(id)?.total === undefined);
  const said = new Map(usable.map(([id, { amount }]) => [id, amount]));
  // An answer without readable budgets counts as read only if no budget is declared.
  if (answer !== undefined && (readable.length > 0 || declared.size === 0)) {
    return {
      source: 'read',
      readAt,
      byCampaign: new Map(readable.map((row) => [row.campaignId, { ...row, source: 'read' }])),
      amounts: shown,
      unreadable,
      removed: new Set(rows.filter(({ removed }) => removed).map(({ budgetId }) => budgetId)),
      declared: said,
    };
  }
  const amounts = await declaredAmounts(deps.db, customer, said);
  const byCampaign = usable.flatMap(([budgetId, { campaigns, amount }]) =>
    campaigns.map((id) => {
      const about = { budgetId, amount: amounts.get(budgetId) ?? amount, source: 'declared' } as const;
      return [id, { ...about, campaignName: undefined, campaignStatus: undefined }] as const;
    }),
  );
  return {
    source: 'declared',
    readAt,
    byCampaign: new Map(byCampaign),
    amounts,
    unreadable: new Map([...unreadable].filter(([id]) => !said.has(id))),
    removed: new Set(),
    declared: said,
  };
}

/** Uses our last change, until a person changes the declared amount. */
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
