import { createHash } from 'node:crypto';
import type { StateApp } from '../../app.ts';
import { isMade } from '../../domain/budget-change.ts';
import { customerId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/micros.ts';
import { type Html, html } from '../../html/html.ts';
import { account, amountChange, facts, instant, line } from '../../html/parts.ts';
import { named } from '../../html/table.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { firingAlerts } from '../../store/alerts/alert-table.ts';
import { intentById, undosMade } from '../../store/budgets/intent-table.ts';
import { openProposals } from '../../store/budgets/proposal-table.ts';
import { allAccounts } from '../../store/runs/account-table.ts';
import { accountNames } from '../../views/budgets-list.ts';
import { budgetName } from '../status/budget-link.ts';
import { standing } from '../status/frame.ts';
import type { ActName, AskedAct } from './acts.ts';

/** What an act would do now. */
export interface Effect {
  readonly body: Html;
  /** Changes when anything that the page shows changes. */
  readonly seen: string;
  /** Arguments of the command, without the person and the reason. */
  readonly command: readonly string[];
}

type Shown = Omit<Effect, 'seen'> | undefined;
type Show = (app: StateApp, on: string) => Promise<Shown>;

/** Undefined if there is nothing to act on, for example because somebody else has decided. */
export async function effectOf(app: StateApp, { act, on }: AskedAct): Promise<Effect | undefined> {
  const shown = await EFFECTS[act](app, on);
  if (shown === undefined) return undefined;
  const seen = createHash('sha256').update(shown.body.markup).digest('base64url');
  return { ...shown, seen };
}

const EFFECTS: Readonly<Record<ActName, Show>> = {
  approve: async (app, code) => decideProposal(app, code, 'approve'),
  reject: async (app, code) => decideProposal(app, code, 'reject'),
  undo: undoChange,
  freeze: async (app) => {
    const frozen = redactTexts(await standing(app), app.settings);
    const now =
      frozen && html`<p>They are already ${frozen.why}. Your reason replaces the old one. The record keeps both.</p>`;
    const body = html`<p>No budget changes until somebody unfreezes budgets. This stops a run in progress, too. Reading and alerts continue.</p>${now}`;
    return { body, command: ['freeze'] };
  },
  unfreeze: async (app) => {
    const frozen = redactTexts(await standing(app), app.settings);
    if (!frozen?.isLiftable) return undefined;
    return { body: html`<p>Budgets may change again. They are ${frozen.why}.</p>`, command: ['unfreeze'] };
  },
  silence: silenceAlert,
};

async function decideProposal(app: StateApp, code: string, act: 'approve' | 'reject'): Promise<Shown> {
  const { db } = app.state;
  const open = (await openProposals(db, app.clock.now())).find((proposal) => proposal.code === code);
  if (open === undefined) return undefined;
  const proposal = redactTexts(accountNames(await allAccounts(db))(open), app.settings);
  const { customerId: customer, accountName, from, to, currency, rule, reason, expiresAt } = proposal;
  const promise =
    act === 'approve'
      ? html`<p>Sets the daily budget if it is still ${formatMoney(from, currency)}. All guards check the change again.</p>`
      : html`<p>The budget keeps its amount. No rule changes it today.</p>`;
  return {
    body: html`${promise}
${facts([
  ['Budget', named(budgetName(proposal))],
  ['Account', account(customer, accountName)],
  ['Change', html`${amountChange(from, to, currency)} a day`],
  ['Rule', rule],
  ['Reason', line(reason)],
  ['Expires', instant(expiresAt)],
])}`,
    command: ['budgets', act, code],
  };
}

async function undoChange(app: StateApp, on: string): Promise<Shown> {
  const { db } = app.state;
  const intent = await intentById(db, BigInt(on.slice(1)));
  if (intent === undefined || !isMade(intent) || (await undosMade(db)).has(intent.id)) return undefined;
  const change = redactTexts(accountNames(await allAccounts(db))(intent), app.settings);
  const { customerId: customer, accountName, from, to, currency, actor, reason, updatedAt } = change;
  return {
    body: html`<p>Sets the daily budget back if nobody has changed it since. Limits and bounds of the account still apply.</p>
${facts([
  ['Budget', named(budgetName(change))],
  ['Account', account(customer, accountName)],
  ['Undo', html`${amountChange(to, from, currency)} a day`],
  ['Changed', instant(updatedAt)],
  ['By', line(actor)],
  ['Reason', line(reason)],
])}`,
    command: ['budgets', 'undo', on],
  };
}

async function silenceAlert(app: StateApp, on: string): Promise<Shown> {
  const { db } = app.state;
  const all = await firingAlerts(db, 'condition');
  const found = all.find(({ id }) => id === BigInt(on.slice(1)));
  if (found?.rule === undefined) return undefined;
  const { rule, customerId: customer } = found;
  const alert = redactTexts(accountNames(await allAccounts(db))(found), app.settings);
  const covered = all.filter((one) => one.rule === rule && one.customerId === customer).length;
  return {
    body: html`<p>Sends no alerts of this rule${customer === undefined ? '' : ' about this account'}. If the condition is still true afterwards, an alert follows.</p>
${facts([
  ['Rule', rule],
  ['Account', alert.customerId && account(customerId(alert.customerId), alert.accountName)],
  ['Alert', line(alert.text)],
  ['Firing now', String(covered)],
])}`,
    command: ['alerts', 'silence', `--rule=${rule}`, ...(customer === undefined ? [] : [`--customer=${customer}`])],
  };
}
