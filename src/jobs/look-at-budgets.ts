import type { StateApp } from '../app.ts';
import { killSwitch } from '../budgets/kill-switch.ts';
import { InputError } from '../domain/errors.ts';
import type { CampaignId, CustomerId } from '../domain/ids.ts';
import type { BudgetHistory, OneBudgetChange, ShownChange, WaitingBudgets } from '../report/render-budgets.ts';
import { allAccounts } from '../store/account-table.ts';
import { beyondLimits, eventsOf, eventsOfProposal, eventsOfRecord, proposalEnds } from '../store/event-table.ts';
import { foreignChangesOf } from '../store/foreign-change-table.ts';
import { type Intent, intentById, intentsOf, openIntents, undosMade } from '../store/intent-table.ts';
import type { StateDb } from '../store/open-state.ts';
import { allProposals, openProposals, proposalByCode } from '../store/proposal-table.ts';

const NO_ENDS: Awaited<ReturnType<typeof proposalEnds>> = new Map();

/** What waits for a person or for an answer; with `all` also the proposals that wait no more. */
export async function budgetsWaiting(
  app: StateApp,
  customers: readonly CustomerId[],
  all: boolean,
): Promise<WaitingBudgets> {
  const { db } = app.state;
  const concerned = ({ customerId }: { readonly customerId: CustomerId }) =>
    customers.length === 0 || customers.includes(customerId);
  const proposals = (await openProposals(db, app.clock.now())).filter(concerned);
  const waiting = new Set(proposals.map(({ code }) => code));
  const past = all ? (await allProposals(db)).filter(({ code }) => !waiting.has(code)) : [];
  const ends = all ? await proposalEnds(db) : NO_ENDS;
  return {
    accounts: await allAccounts(db),
    frozen: await killSwitch(app, app.settings.paths.data).standing(),
    proposals,
    past: past
      .filter(concerned)
      .reverse()
      .map((proposal) => ({ ...proposal, ...ends.get(proposal.code) })),
    open: (await openIntents(db)).filter(concerned),
  };
}

/** Changes of the past, newest first, those of others among them, and without a filter what concerned all budgets. */
export async function budgetHistory(
  app: StateApp,
  filter: {
    readonly customers: readonly CustomerId[];
    readonly campaign: CampaignId | undefined;
    readonly limit: number;
  },
): Promise<BudgetHistory> {
  const { db } = app.state;
  const wanted = { customers: filter.customers, campaignId: filter.campaign, limit: filter.limit };
  const shown = await showingChanges(db);
  const changes = (await intentsOf(db, wanted)).map(
    (change) => ({ kind: 'ours', at: change.createdAt, change: shown(change) }) as const,
  );
  const seen = (await foreignChangesOf(db, wanted)).map(
    (change) => ({ kind: 'foreign', at: change.seenAt, change }) as const,
  );
  const isFiltered = filter.customers.length > 0 || filter.campaign !== undefined;
  const ofRecord = isFiltered ? [] : await eventsOfRecord(db, filter.limit);
  const events = ofRecord.map((event) => ({ kind: 'record', at: event.createdAt, event }) as const);
  const entries = [...events, ...seen, ...changes].sort((one, other) =>
    one.at < other.at ? 1 : one.at > other.at ? -1 : 0,
  );
  const frozen = await killSwitch(app, app.settings.paths.data).standing();
  return { frozen, accounts: await allAccounts(db), entries: entries.slice(0, filter.limit) };
}

/** A proposal by its code or a change by its number, `B12` and `12` alike. Throws `InputError` when there is none. */
export async function oneBudgetChange(app: StateApp, reference: string): Promise<OneBudgetChange> {
  const { db } = app.state;
  const accounts = await allAccounts(db);
  const frozen = await killSwitch(app, app.settings.paths.data).standing();
  const shown = await showingChanges(db);
  const found = await proposalByCode(db, reference);
  if (found) {
    const proposal = { ...found, ...(await proposalEnds(db)).get(found.code) };
    const made = found.intentId === undefined ? undefined : await intentById(db, found.intentId);
    const change = made && shown(made);
    return { frozen, accounts, proposal, change, events: await eventsOfProposal(db, proposal.code, proposal.intentId) };
  }
  const digits = /^[Bb]?([1-9]\d{0,17})$/.exec(reference.trim())?.[1];
  const made = digits === undefined ? undefined : await intentById(db, BigInt(digits));
  const change = made && shown(made);
  if (change) return { frozen, accounts, proposal: undefined, change, events: await eventsOf(db, change.id) };
  throw new InputError(`There is no proposal and no change "${reference}".`, {
    nextStep:
      'pacekeeper budgets list shows the codes of proposals, pacekeeper budgets history the numbers of changes.',
  });
}

/** A change with what other records say of it. */
export async function showingChanges(db: StateDb): Promise<(change: Intent) => ShownChange> {
  const undos = await undosMade(db);
  const beyond = await beyondLimits(db);
  return (change) => ({ ...change, undoneBy: undos.get(change.id), beyondLimits: beyond.get(change.id) });
}
