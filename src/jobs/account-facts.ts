import type { App } from '../app.ts';
import type { BudgetBook } from '../budgets/read-budgets.ts';
import { addDays, type CivilDate, civilDateAt, daysBetween, startOfDayMs } from '../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { PastChange } from '../domain/past-change.ts';
import type { AccountFacts, BudgetFacts, RejectedProposal } from '../rules/decision.ts';
import type { Rule } from '../rules/rule.ts';
import { recordForeignChange } from '../store/foreign-change-table.ts';
import { decidedOn, openIntents } from '../store/intent-table.ts';
import { changesSince, lastSet } from '../store/past-changes.ts';
import { openProposals, rejectedSince } from '../store/proposal-table.ts';

/** How far back the guards look, at least: exposure needs the changes of today. */
const DAYS_MIN = 1;

/** The account as the guards must know it, and the rules whose limits say how far back they look. */
export interface FactsWanted {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly timeZone: string;
  readonly today: CivilDate;
  readonly rules: readonly Rule[];
  /** Changes are wanted from this day on, whatever the rules' limits say: the days that are not settled begin there. */
  readonly since: CivilDate;
  /** Changes of others are not written down, only seen. */
  readonly dryRun: boolean;
}

/**
 * What the guards know of an account. A budget that shows another amount than we last set was changed by someone else:
 * that is written down here, once, as a change of today.
 */
export async function accountFacts(app: App, book: BudgetBook, wanted: FactsWanted): Promise<AccountFacts> {
  const { customerId, today, rules } = wanted;
  const { db } = app.state;
  const daysBack = Math.max(
    DAYS_MIN,
    daysBetween(wanted.since, today),
    ...rules.map(({ limits }) => Math.max(limits.cooldownDays ?? 0, limits.drift?.days ?? 0)),
  );
  const open = (await openIntents(db)).filter((intent) => intent.customerId === customerId);
  const unknown = new Set(
    open.filter(({ state }) => state === 'sending' || state === 'unknown').map((one) => one.budgetId),
  );
  const inTheWorks = new Map(open.map(({ budgetId, to }) => [budgetId, to]));
  const foreign = await foreignChanges(app, book, wanted, unknown);
  const changes = await changesSince(db, customerId, addDays(today, -daysBack));
  const decided = await decidedOn(db, customerId, today);
  const proposals = new Map(
    (await openProposals(db, app.clock.now()))
      .filter((proposal) => proposal.customerId === customerId)
      .map(({ budgetId, code }) => [budgetId, code]),
  );
  const rejected = await rejections(app, wanted, addDays(today, -daysBack));
  const settings = app.settings.accounts.get(customerId);
  const campaigns = campaignsOf(book);
  const budgets = [...book.amounts].map(([budgetId, amount]): [BudgetId, BudgetFacts] => {
    const seen = wanted.dryRun ? foreign.get(budgetId) : undefined;
    return [
      budgetId,
      {
        ...{ budgetId, amount, source: book.source },
        removed: book.removed.has(budgetId),
        campaigns: campaigns.get(budgetId) ?? [],
        decidedToday: decided.get(budgetId),
        outcomeOpen: unknown.has(budgetId),
        mayBecome: inTheWorks.get(budgetId),
        proposed: proposals.get(budgetId),
        rejected: rejected.get(budgetId),
        changes: [...(changes.get(budgetId) ?? []), ...(seen ? [seen] : [])],
      },
    ];
  });
  return {
    ...{ customerId, currency: wanted.currency, today, budgets: new Map(budgets), unreadable: [...book.unreadable] },
    dailyTotalMax: settings?.dailyTotalMax,
    dailyExposureMax: settings?.dailyExposureMax,
    frozen: await app.killSwitch.frozen(),
  };
}

/** What people said no to since the account day: the newest of each budget. */
async function rejections(
  { state }: App,
  { customerId, timeZone }: FactsWanted,
  since: CivilDate,
): Promise<ReadonlyMap<BudgetId, RejectedProposal>> {
  const found = new Map<BudgetId, RejectedProposal>();
  for (const proposal of await rejectedSince(state.db, customerId, startOfDayMs(since, timeZone))) {
    const { budgetId, code, from, to, decidedAt, decidedBy } = proposal;
    if (decidedAt === undefined) continue;
    const day = civilDateAt(Date.parse(decidedAt), timeZone);
    found.set(budgetId, { code, by: decidedBy ?? 'a person', day, from, to });
  }
  return found;
}

/** Budgets whose amount is not what we last set, and whose last change has a known outcome. */
async function foreignChanges(
  app: App,
  book: BudgetBook,
  { customerId, today, dryRun }: FactsWanted,
  unknown: ReadonlySet<BudgetId>,
): Promise<ReadonlyMap<BudgetId, PastChange>> {
  const found = new Map<BudgetId, PastChange>();
  for (const [budgetId, { to: expected }] of await lastSet(app.state.db, customerId)) {
    const live = book.amounts.get(budgetId);
    if (live === undefined || live === expected || unknown.has(budgetId)) continue;
    found.set(budgetId, { day: today, by: 'foreign', from: expected, to: live });
    if (dryRun) continue;
    app.log.info(`Budget ${budgetId} of account ${customerId} was changed by someone else.`);
    const change = { customerId, budgetId, accountDay: today, expected, found: live };
    await recordForeignChange(app.state.db, { ...change, declared: book.declared.get(budgetId) }, app.clock.now());
  }
  return found;
}

function campaignsOf(book: BudgetBook): Map<BudgetId, BudgetFacts['campaigns'][number][]> {
  const campaigns = new Map<BudgetId, BudgetFacts['campaigns'][number][]>();
  for (const [id, { budgetId, campaignName: name, campaignStatus: status }] of book.byCampaign) {
    const own = campaigns.get(budgetId) ?? [];
    campaigns.set(budgetId, own);
    own.push({ id, name, status });
  }
  return campaigns;
}
