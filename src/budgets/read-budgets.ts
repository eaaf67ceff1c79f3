import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import { readCampaignBudgets } from '../apis/ads/read-account.ts';
import type { AmountInDoubt } from '../domain/budget-change.ts';
import type { CampaignStatus } from '../domain/campaign-status.ts';
import { type CivilDate, instantText } from '../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import type { Clock } from '../domain/ports.ts';
import {
  dropSuspicion,
  type ForeignChange,
  type NewSuspicion,
  recordForeignChange,
  type SuspectedChange,
  suspectChange,
  suspectedChanges,
} from '../store/budgets/foreign-change-table.ts';
import { lastSet } from '../store/budgets/past-changes.ts';
import type { StateDb } from '../store/record-store.ts';

/** A budget declared in `pacekeeper.yaml`, for interfaces that cannot be read. */
export interface DeclaredBudget {
  readonly amount: Micros;
  readonly campaigns: readonly CampaignId[];
}

export interface BudgetBook {
  /** `read`: the service's answer. `declared`: the settings, updated by our own later changes. */
  readonly source: 'read' | 'declared';
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
  readonly unreadable: ReadonlySet<BudgetId>;
  /** Removed budgets. Their last amounts can still be in `amounts`. */
  readonly removed: ReadonlySet<BudgetId>;
  /** The amounts in the settings, not updated by our own changes. */
  readonly declared: ReadonlyMap<BudgetId, Micros>;
}

/** Throws `ApiError` if the request fails, except if the service offers no budgets. */
export async function readBudgets(
  deps: { readonly ads: AdsConnection; readonly db: StateDb },
  customer: CustomerId,
  declared: ReadonlyMap<BudgetId, DeclaredBudget>,
): Promise<BudgetBook> {
  const answer = await readCampaignBudgets(deps.ads, customer);
  const said = new Map([...declared].map(([id, { amount }]) => [id, amount]));
  const rows = answer.kind === 'offered' ? answer.value : [];
  const readable = rows.flatMap(({ amount, ...row }) => (amount === undefined ? [] : [{ ...row, amount }]));
  const shown = new Map(readable.map((row) => [row.budgetId, row.amount]));
  const without = rows.filter(({ budgetId, removed }) => !shown.has(budgetId) && removed !== true);
  const unshown = without.map(({ budgetId }) => budgetId);
  // An answer without readable budgets counts as read only if no budget is declared.
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

export interface Expected {
  readonly to: Micros;
  /** UTC time of our latest change or request. If undefined, an amount is never in doubt. */
  readonly at: string | undefined;
  readonly intentId?: bigint;
}

export interface ComparedBudgets {
  readonly inDoubt: ReadonlyMap<BudgetId, AmountInDoubt>;
  readonly foreign: readonly ForeignChange[];
  readonly suspected: readonly NewSuspicion[];
  readonly cleared: readonly BudgetId[];
}

/** A different amount is only in doubt at first, because the service can show our own change late. */
export async function compareWithRecord(
  { db, clock, readLagMs }: { readonly db: StateDb; readonly clock: Clock; readonly readLagMs: number },
  book: Pick<BudgetBook, 'amounts' | 'source' | 'declared'>,
  customerId: CustomerId,
  record: ReadonlyMap<BudgetId, Expected>,
  accountDay: CivilDate,
): Promise<ComparedBudgets> {
  const nowMs = clock.now();
  const known = await suspectedChanges(db, customerId);
  const inDoubt = new Map<BudgetId, AmountInDoubt>();
  const foreign: ForeignChange[] = [];
  const suspected: NewSuspicion[] = [];
  const cleared: BudgetId[] = [];
  for (const [budgetId, { to: expected, at, intentId }] of record) {
    const found = book.amounts.get(budgetId);
    const before = known.get(budgetId);
    if (found === undefined) continue;
    if (found === expected) {
      if (before) cleared.push(budgetId);
      continue;
    }
    const isSame = before?.found === found && before.expected === expected && Date.parse(before.seenAt) <= nowMs;
    const first = isSame ? before : undefined;
    const isOurs = book.source === 'read' && at !== undefined;
    const certainMs = isOurs ? certainFromMs(at, first, nowMs, readLagMs) : nowMs;
    if (certainMs > nowMs) {
      inDoubt.set(budgetId, { expected, found, until: instantText(certainMs) });
      if (!isSame) suspected.push({ budgetId, accountDay, expected, found });
      continue;
    }
    const seen = { accountDay: first?.accountDay ?? accountDay, declared: book.declared.get(budgetId), intentId };
    foreign.push({ customerId, budgetId, expected, found, ...seen });
    if (before) cleared.push(budgetId);
  }
  return { inDoubt, foreign, suspected, cleared };
}

export async function writeDown(
  db: StateDb,
  customer: CustomerId,
  { foreign, suspected, cleared }: ComparedBudgets,
  nowMs: number,
): Promise<void> {
  for (const change of foreign) await recordForeignChange(db, change, nowMs);
  for (const budgetId of cleared) await dropSuspicion(db, customer, budgetId);
  for (const suspicion of suspected) await suspectChange(db, customer, suspicion, nowMs);
}

/** From this time, in milliseconds, a different amount proves a change by someone else. */
function certainFromMs(at: string, first: SuspectedChange | undefined, nowMs: number, readLagMs: number): number {
  const changedMs = Date.parse(at);
  const sinceMs = first === undefined ? nowMs : Date.parse(first.seenAt);
  // After the clock was set back, our change can have a time in the future. Ignore such a time.
  return (changedMs > nowMs ? sinceMs : Math.max(sinceMs, changedMs)) + readLagMs;
}
