import type { App } from '../../app.ts';
import { compareWithRecord, type Expected, writeDown } from '../../budgets/compare-with-record.ts';
import type { BudgetBook } from '../../budgets/read-budgets.ts';
import type { PastChange } from '../../domain/budget-change.ts';
import {
  addDays,
  type CivilDate,
  civilDateAt,
  daysBetween,
  instantText,
  startOfDayMs,
} from '../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { highestOf } from '../../domain/micros.ts';
import type { AccountFacts, BudgetFacts, RejectedProposal } from '../../rules/decide/decision.ts';
import type { Rule } from '../../rules/rule.ts';
import { type ForeignChange, recordForeignChange } from '../../store/budgets/foreign-change-table.ts';
import { decidedOn, openIntents } from '../../store/budgets/intent-table.ts';
import { changesSince, lastSet } from '../../store/budgets/past-changes.ts';
import { openProposals, rejectedSince } from '../../store/budgets/proposal-table.ts';

/** How far back the guards look, at least: exposure needs the changes of today. */
const DAYS_MIN = 1;

/** The account as the guards must know it, and the rules whose limits say how far back they look. */
export interface FactsWanted {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly timeZone: string;
  readonly today: CivilDate;
  readonly rules: readonly Rule[];
  /** Changes are wanted from this day on, whatever the rules' limits say: the days that are not complete begin there. */
  readonly since: CivilDate;
  /** Changes of today that were made before this folder knew the account, oldest first. */
  readonly elsewhere: readonly ForeignChange[];
  /** Changes of others are not written down, only seen. */
  readonly dryRun: boolean;
}

/**
 * What the guards know of an account. A budget that shows another amount than we last set is in doubt or was changed by
 * someone else: that is written down here.
 */
export async function accountFacts(app: App, book: BudgetBook, wanted: FactsWanted): Promise<AccountFacts> {
  const { customerId, today, rules } = wanted;
  const { db } = app.state;
  const daysBack = Math.max(
    DAYS_MIN,
    daysBetween(wanted.since, today),
    ...rules.map(({ limits }) => Math.max(limits.cooldownDays ?? 0, limits.drift?.days ?? 0)),
  );
  const now = instantText(app.clock.now());
  const open = (await openIntents(db)).filter((intent) => intent.customerId === customerId);
  const unknown = new Set(
    open.filter(({ state }) => state === 'sending' || state === 'unknown').map((one) => one.budgetId),
  );
  // A reading may be older than either.
  const inTheWorks = new Map(open.map(({ budgetId, from, to }) => [budgetId, highestOf(from, to)]));
  const record = new Map<BudgetId, Expected>(await lastSet(db, customerId));
  // A reading may lag behind these as well.
  for (const { budgetId, found } of wanted.elsewhere) record.set(budgetId, { to: found, at: now });
  for (const budgetId of unknown) record.delete(budgetId);
  const readLagMs = app.settings.automation.readLagMinutes * 60_000;
  const compared = await compareWithRecord({ db, clock: app.clock, readLagMs }, book, customerId, record, today);
  const { inDoubt } = compared;
  const foreign = [...wanted.elsewhere, ...compared.foreign];
  if (!wanted.dryRun) {
    // All or nothing: one of them in the record says that they were read.
    await db.transaction().execute(async (trx) => {
      for (const change of wanted.elsewhere) await recordForeignChange(trx, change, app.clock.now());
      await writeDown(trx, customerId, compared, app.clock.now());
    });
    for (const { budgetId } of foreign) {
      app.log.info(`Budget ${budgetId} of account ${customerId} was changed by someone else.`);
    }
  }
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
    const seen = wanted.dryRun ? foreign.filter((change) => change.budgetId === budgetId) : [];
    return [
      budgetId,
      {
        ...{ budgetId, amount, source: book.source },
        removed: book.removed.has(budgetId),
        campaigns: campaigns.get(budgetId) ?? [],
        decidedToday: decided.get(budgetId),
        outcomeOpen: unknown.has(budgetId),
        inDoubt: inDoubt.get(budgetId),
        mayBecome: inTheWorks.get(budgetId) ?? inDoubt.get(budgetId)?.expected,
        proposed: proposals.get(budgetId),
        rejected: rejected.get(budgetId),
        changes: [...(changes.get(budgetId) ?? []), ...seen.map(pastChange)],
      },
    ];
  });
  return {
    customerId,
    currency: wanted.currency,
    today,
    budgets: new Map(budgets),
    unreadable: [...book.unreadable],
    dailyTotalMax: settings?.dailyTotal,
    dailyExposureMax: settings?.dailyExposure,
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

function pastChange({ accountDay, expected, found }: ForeignChange): PastChange {
  return { day: accountDay, by: 'foreign', from: expected, to: found };
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
