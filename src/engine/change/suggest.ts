import { ruleOfAgent } from '../../domain/budget-change.ts';
import { civilDateAt, instantText, minuteText } from '../../domain/civil-date.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { tellableName } from '../../services/http/tellable.ts';
import {
  type AgentRequest,
  decideProposal,
  type NewProposal,
  openProposals,
  type Proposal,
  proposalByCode,
  proposalOfKey,
  suggestedSince,
} from '../../storage/records/budgets/proposal-table.ts';
import { inTransaction } from '../../storage/records/in-transaction.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { lastReport } from '../../storage/records/runs/run-history.ts';
import { findAccounts, requireAds } from '../accounts/find-accounts.ts';
import type { App, StateApp } from '../app.ts';
import { budgetsNow } from '../budgets/carry-out.ts';
import { inputsNow } from '../load-inputs.ts';
import { publishAfterwards } from '../publish-files.ts';
import { deliverAlerts } from '../tell/deliver-alerts.ts';
import { datedAccount, lapsedSuggestion, sendPath } from './change-budgets.ts';
import { judgeSuggestion, type SuggestionRefused, type SuggestionScene, suggestionScene } from './judge-suggestion.ts';
import { insertWithAlert } from './plan-changes.ts';

export interface SuggestionOrder extends AgentRequest {
  readonly agent: string;
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly to: Micros;
  /** The currency that the agent named. */
  readonly currency: string;
  readonly reason: string;
  /** Undefined for the end that proposals of rules have. */
  readonly untilMs: number | undefined;
}

export type Suggested =
  | {
      readonly kind: 'proposed';
      readonly proposal: Proposal;
      readonly isRepeated: boolean;
      readonly notes: readonly string[];
    }
  | SuggestionRefused;

const HOUR_MS = 3_600_000;

/**
 * Puts a suggestion into the queue of a person. It changes no budget, whatever the mode of the automation is. After a
 * lost answer, the agent asks again. The key then finds the first suggestion before any guard is asked: an open suggestion
 * would refuse its own repetition.
 */
export async function suggestChange(app: App, order: SuggestionOrder): Promise<Suggested> {
  const { settings, state, clock } = app;
  const { customerId, budgetId, currency } = order;
  const repeated = await repetitionOf(state.db, order);
  if (repeated) return repeated;
  const lapsed = lapsedSuggestion(settings) ?? excluded(app, customerId);
  if (lapsed) return refused(lapsed.code, lapsed.reason);
  const wrong = await wrongTime(app, order);
  if (wrong) return wrong;
  const ads = requireAds(app, 'no budget can be read');
  const accounts = await findAccounts(app, ads, [customerId], 'refused');
  const account = datedAccount(customerId, accounts.found);
  if (account === undefined) {
    const why = accounts.failures[0] ?? `Account ${customerId} or its time zone is unknown.`;
    return refused('ACCOUNT_NOT_READ', why);
  }
  if (account.currency !== undefined && account.currency !== currency)
    return refused('CURRENCY', `Found an amount in ${currency}, expected ${account.currency}, which the account uses.`);
  const deps = sendPath(app, ads);
  try {
    const book = await budgetsNow(deps, customerId);
    const inputs = await inputsNow(settings, clock.now());
    const today = civilDateAt(clock.now(), account.timeZone);
    const scene = await suggestionScene(app, { ads, inputs, account, book, today, budgetId, isApproval: false });
    const judged = judgeSuggestion(scene, order.to);
    if (judged.kind === 'refused') return judged;
    const { budget } = judged;
    const change: NewProposal = {
      ...aboutBudget(app, order, scene),
      from: budget.amount,
      amountSource: budget.source,
      declared: book.declared.get(budgetId),
      expiresAtMs: order.untilMs ?? clock.now() + settings.automation.approvalHours * HOUR_MS,
    };
    const inserted = await inTransaction(state.db, async (trx): Promise<Proposal | SuggestionRefused> => {
      const excess = (await repetitionOf(trx, order)) ?? (await beyondCaps(app, trx, order));
      if (excess?.kind === 'refused') return excess;
      const made = await insertWithAlert(app, trx, undefined, change, account.timeZone);
      return made ?? refused('WAITS_FOR_APPROVAL', `Another change of budget ${budgetId} awaits approval.`);
    });
    if ('kind' in inserted) return inserted;
    const { failures } = await deliverAlerts(app);
    const { failure } = await publishAfterwards(app);
    const notes = [...failures, ...(failure === undefined ? [] : [failure])].map(app.redact);
    return { kind: 'proposed', proposal: inserted, isRepeated: false, notes };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refused('NOT_READ', `The budget could not be read: ${explainFailure(error)}`);
  }
}

function refused(code: string, reason: string): SuggestionRefused {
  return { kind: 'refused', code, reason };
}

async function repetitionOf(
  db: StateDb,
  { agent, key, requestSha256 }: SuggestionOrder,
): Promise<Suggested | undefined> {
  const proposal = await proposalOfKey(db, ruleOfAgent(agent), key);
  if (proposal === undefined) return undefined;
  if (proposal.requestSha256 === requestSha256) return { kind: 'proposed', proposal, isRepeated: true, notes: [] };
  return refused('KEY_USED', `The key stands for another suggestion, ${proposal.code}. Use a new key for each one.`);
}

function excluded({ settings }: App, customerId: CustomerId) {
  if (!settings.ads.excludeCustomerIds.includes(customerId)) return undefined;
  return { code: 'ACCOUNT_EXCLUDED', reason: `Account ${customerId} is excluded.` } as const;
}

/** Figures from before the last report could have led to another amount. */
async function wrongTime(
  { state, clock, settings }: App,
  order: SuggestionOrder,
): Promise<SuggestionRefused | undefined> {
  const { asOf, untilMs } = order;
  const nowMs = clock.now();
  const newest = (await lastReport(state.db))?.endedAt;
  if (newest === undefined) return refused('NO_DATA', 'No report has ended yet, so no suggestion has figures.');
  if (Date.parse(asOf) < Date.parse(newest))
    return refused('OLD_FIGURES', `The figures are from ${asOf}, but the data is from ${newest}. Read them again.`);
  // A clock that was set back must not make the last report unusable.
  if (Date.parse(asOf) > Math.max(nowMs, Date.parse(newest)))
    return refused('OLD_FIGURES', `The figures are from ${asOf}, which is in the future.`);
  const last = nowMs + settings.automation.approvalHours * HOUR_MS;
  if (untilMs === undefined || (untilMs > nowMs && untilMs <= last)) return undefined;
  return refused('WRONG_END', `The end must be after now and not after ${instantText(last)}.`);
}

async function beyondCaps(app: App, trx: StateDb, { agent }: SuggestionOrder): Promise<SuggestionRefused | undefined> {
  const { proposalsADay, openProposals: openMax } = app.settings.agents;
  const nowMs = app.clock.now();
  const isOwn = ({ rule }: Proposal) => rule === ruleOfAgent(agent);
  const ofDay = (await suggestedSince(trx, nowMs - 24 * HOUR_MS)).filter(isOwn);
  if (ofDay.length >= proposalsADay)
    return refused(
      'PROPOSALS_A_DAY',
      `The agent made ${ofDay.length} suggestions in 24 hours, at most ${proposalsADay} are allowed.`,
    );
  const open = (await openProposals(trx, nowMs)).filter(isOwn);
  if (open.length < openMax) return undefined;
  const codes = open.map(({ code }) => code).join(', ');
  return refused(
    'OPEN_PROPOSALS',
    `${open.length} suggestions of the agent await a person (${codes}), at most ${openMax} are allowed.`,
  );
}

function aboutBudget(app: App, order: SuggestionOrder, { facts, bounds, budgetId }: SuggestionScene) {
  const { agent, to, currency, reason, evidence, asOf } = order;
  const campaigns = facts.budgets.get(budgetId)?.campaigns ?? [];
  const [campaign] = campaigns.length === 1 ? campaigns : [];
  const floors = bounds.flatMap(({ limits }) => limits.floor ?? []);
  const ceilings = bounds.flatMap(({ limits }) => limits.ceiling ?? []);
  const figures = Object.entries(evidence).map(([name, value]) => `${name}: ${value}`);
  const words = `${reason} (${[...figures, `as of ${minuteText(asOf)}`].join('; ')})`;
  return {
    customerId: facts.customerId,
    budgetId,
    campaignId: campaign?.id,
    campaignName: tellableName(campaign?.name, app.redact),
    accountDay: facts.today,
    currency,
    rule: ruleOfAgent(agent),
    ruleVersion: '',
    to,
    floor: floors.toSorted(ascending).at(-1),
    ceiling: ceilings.toSorted(ascending)[0],
    reason: app.redact(words),
    agent: order,
  };
}

const ascending = (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other));

/** A suggestion of another agent is refused like an unknown code. */
export async function withdrawSuggestion(
  app: StateApp,
  code: string,
  { agent, why }: { readonly agent: string; readonly why: string },
): Promise<{ readonly kind: 'withdrawn'; readonly proposal: Proposal } | SuggestionRefused> {
  const found = await proposalByCode(app.state.db, code);
  if (found === undefined || found.rule !== ruleOfAgent(agent))
    return refused('NO_SUCH_PROPOSAL', `Agent ${agent} made no suggestion ${code}.`);
  const decision = { state: 'superseded', by: `agent ${agent}`, why, code: 'WITHDRAWN' } as const;
  const proposal = await decideProposal(app.state.db, code, decision, app.clock.now());
  if (proposal === undefined) return refused('NOT_OPEN', `Suggestion ${found.code} is ${found.state}, no longer open.`);
  await publishAfterwards(app);
  return { kind: 'withdrawn', proposal };
}
