import { isMade } from '../../domain/budget-change.ts';
import { addDays, civilDateAt, clockTimeAt } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatMoneyIn } from '../../domain/micros.ts';
import { outsideName } from '../../domain/outside-text.ts';
import type { ShowInstant } from '../../domain/wording.ts';
import { intentById, intentsOfBudget } from '../../storage/records/budgets/intent-table.ts';
import type { Proposal } from '../../storage/records/budgets/proposal-table.ts';
import { knownAccount } from '../../storage/records/runs/account-table.ts';
import type { App, StateApp } from '../app.ts';
import { isOpen } from '../budgets/budget-deps.ts';

type Waiting = Pick<StateApp, 'state' | 'settings' | 'clock'>;

export interface AnswerTimes {
  /** UTC if the account's time zone is unknown. */
  readonly timeZone: string;
  readonly nowMs: number;
}

export async function timesOf({ state, settings, clock }: Waiting, customer: CustomerId): Promise<AnswerTimes> {
  const known = (await knownAccount(state.db, customer))?.timeZone ?? settings.accounts.get(customer)?.timeZone;
  return { timeZone: known ?? 'UTC', nowMs: clock.now() };
}

/** Adds the date if the time is not today. */
function localTime(atMs: number, { timeZone, nowMs }: AnswerTimes): string {
  const day = civilDateAt(atMs, timeZone);
  return `${day === civilDateAt(nowMs, timeZone) ? '' : `${day} `}${clockTimeAt(atMs, timeZone)}`;
}

/** Shows times such as "13:05 Europe/Berlin". */
export function onLocalClock(times: AnswerTimes): ShowInstant {
  return (instant) => `${localTime(Date.parse(instant), times)} ${times.timeZone}`;
}

/** Returns undefined if the proposal was neither approved nor rejected. */
export async function answerDecided(app: App, proposal: Proposal, by: string): Promise<string | undefined> {
  const { code, state, decidedBy, decidedAt, customerId, intentId } = proposal;
  if (decidedAt === undefined || (state !== 'approved' && state !== 'rejected')) return undefined;
  const times = await timesOf(app, customerId);
  const person = decidedBy === undefined || decidedBy === by ? '' : ` by ${decidedBy}`;
  const when = `${code} was already ${state}${person} at ${localTime(Date.parse(decidedAt), times)}`;
  if (state === 'rejected') {
    return `${when}: ${budgetWords(proposal)} is unchanged.`;
  }
  return `${when} (B${intentId}): ${await becameOf(app, proposal)}`;
}

const budgetWords = ({ campaignName, budgetId }: Pick<Proposal, 'campaignName' | 'budgetId'>): string =>
  campaignName === undefined ? `budget ${budgetId}` : `the budget of ${outsideName(campaignName)}`;

export async function answerRejected(app: Waiting, proposal: Proposal): Promise<string> {
  const { code, customerId, decidedAt } = proposal;
  const { timeZone, nowMs } = await timesOf(app, customerId);
  const next = addDays(civilDateAt(decidedAt === undefined ? nowMs : Date.parse(decidedAt), timeZone), 1);
  const again = `Rules may ask again from ${next}, or after their cooldown.`;
  return `${code} is rejected: ${budgetWords(proposal)} is unchanged. ${again}`;
}

async function becameOf({ state: { db }, settings }: App, proposal: Proposal): Promise<string> {
  const { intentId, customerId, budgetId, currency, from, to } = proposal;
  const intent = intentId === undefined ? undefined : await intentById(db, intentId);
  if (intent === undefined) return 'no record of the change was found.';
  const locale = settings.accounts.get(customerId)?.locale;
  const change = `${formatMoneyIn(locale, from, currency)} to ${formatMoneyIn(locale, to, currency)}`;
  if (isOpen(intent)) return `the outcome of ${change} is unknown. Run pacekeeper budgets reconcile.`;
  if (!isMade(intent)) return `${change} was not made. For the reason, run pacekeeper budgets show B${intent.id}.`;
  const later = (await intentsOfBudget(db, customerId, budgetId)).filter((one) => one.id > intent.id && isMade(one));
  const undo = later.find(({ undoes }) => undoes === intent.id);
  if (undo) return `${change} was made, then undone as B${undo.id}.`;
  const next = later.at(-1);
  return next ? `${change} was made. B${next.id} has changed the budget since.` : `${change} is in effect.`;
}
