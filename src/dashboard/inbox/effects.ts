import { createHash } from 'node:crypto';
import { isMade } from '../../domain/budget-change.ts';
import { customerId } from '../../domain/ids.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { accountNames } from '../../storage/columns/budget-columns.ts';
import { alertById, firingAlerts, isAcknowledged } from '../../storage/records/alerts/alert-table.ts';
import { intentById, openIntents, undosMade } from '../../storage/records/budgets/intent-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { account, budgetName, facts, instant, line } from '../../views/html/parts.ts';
import { standing } from '../status/frame.ts';
import { type ActName, type AskedAct, type Change, FREEZE, isHeld, type LineNow } from './acts.ts';
import { madeWords, naming, planEffect } from './plan-effect.ts';

/** The result that an act would have now. */
export interface Effect {
  readonly kind: 'possible';
  /** The change, in a few words. Shown again when it is done. */
  readonly change: Change;
  readonly body: Html;
  /** Changes when anything that the page shows changes. */
  readonly seen: string;
  /** Arguments of the command, without the person and the reason. */
  readonly command: readonly string[];
  /** Only of a decision about proposals. */
  readonly lines?: readonly LineNow[];
}

/** There is nothing to act on, for example because somebody else has decided. `reason` is a sentence. */
interface Gone {
  readonly kind: 'gone';
  readonly reason: string;
  /** The act that makes it possible, or that undoes what was done. */
  readonly way?: AskedAct | undefined;
  readonly lines?: readonly LineNow[];
}

const NOT_LIFTABLE = 'Nobody can lift this freeze.';
const LIFT_FIRST = 'Unfreeze budgets first, then come back.';

/** A text alone is a reason. */
type Shown = Omit<Effect, 'kind' | 'seen'> | Omit<Gone, 'kind'> | string;
type Show = (app: StateApp, on: string) => Promise<Shown>;

export async function effectOf(app: StateApp, { act, on }: AskedAct): Promise<Effect | Gone> {
  const shown = await EFFECTS[act](app, on);
  if (typeof shown === 'string') return { kind: 'gone', reason: redactTexts(shown, app.settings) };
  if ('reason' in shown) return { kind: 'gone', ...redactTexts(shown, app.settings) };
  const frozen = isHeld({ act, on }) ? redactTexts(await standing(app), app.settings) : undefined;
  if (frozen !== undefined) {
    const way: AskedAct | undefined = frozen.isLiftable ? { act: 'unfreeze', on: '' } : undefined;
    return { kind: 'gone', reason: `Budgets are ${frozen.why}. ${way === undefined ? NOT_LIFTABLE : LIFT_FIRST}`, way };
  }
  const seen = createHash('sha256').update(JSON.stringify(shown.change)).update(shown.body.markup).digest('base64url');
  return { kind: 'possible', ...shown, seen };
}

const EFFECTS: Readonly<Record<ActName, Show>> = {
  approve: (app, on) => planEffect(app, { act: 'approve', on }),
  reject: (app, on) => planEffect(app, { act: 'reject', on }),
  undo: undoChange,
  freeze: async (app) => {
    const frozen = redactTexts(await standing(app), app.settings);
    const now =
      frozen && html`<p>They are already ${frozen.why}. Your reason replaces the old one. The record keeps both.</p>`;
    return { ...FREEZE, body: html`<p>This stops a run in progress, too. Reading and alerts continue.</p>${now}` };
  },
  unfreeze: async (app) => {
    const frozen = redactTexts(await standing(app), app.settings);
    if (frozen === undefined) return 'Budgets are not frozen.';
    if (!frozen.isLiftable) return `${NOT_LIFTABLE} Budgets are ${frozen.why}.`;
    const body = html`<p>They are ${frozen.why}.</p>`;
    return { change: { words: 'Budgets may change again.' }, body, command: ['unfreeze'] };
  },
  silence: silenceAlert,
  acknowledge: acknowledgeAlert,
};

async function undoChange(app: StateApp, on: string): Promise<Shown> {
  const { db } = app.state;
  const intent = await intentById(db, BigInt(on.slice(1)));
  if (intent === undefined) return `There is no change ${on}.`;
  if (!isMade(intent)) return `${on} was not made, so it cannot be undone.`;
  const undo =
    (await undosMade(db)).get(intent.id) ?? (await openIntents(db)).find(({ undoes }) => undoes === intent.id);
  if (undo !== undefined) {
    return `${isMade(undo) ? `${on} is undone` : `An undo of ${on} is under way`}: B${undo.id}, by ${line(undo.actor)}.`;
  }
  const change = redactTexts((await naming(app))(intent), app.settings);
  const { customerId: customer, accountName, from, to, currency, actor, reason, updatedAt } = change;
  return {
    change: { name: budgetName(change), words: madeWords({ from: to, to: from, currency }) },
    body: html`<p>Sets the daily budget back if nobody has changed it since. Limits and bounds of the account still apply.</p>
${facts([
  ['Account', account(customer, accountName)],
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
  if (found?.rule === undefined) return 'This alert fires no longer, or it has no rule.';
  const { rule, customerId: customer } = found;
  const alert = redactTexts(accountNames(await allAccounts(db))(found), app.settings);
  const covered = all.filter((one) => one.rule === rule && one.customerId === customer).length;
  const about = customer === undefined ? '' : ' about this account';
  return {
    change: { name: line(alert.rule), words: `no alerts of this rule${about}.` },
    body: html`<p>If the condition is still true afterwards, an alert follows.</p>
${facts([
  ['Account', alert.customerId && account(customerId(alert.customerId), alert.accountName)],
  ['Alert', line(alert.text)],
  ['Firing now', String(covered)],
])}`,
    command: ['alerts', 'silence', `--rule=${rule}`, ...(customer === undefined ? [] : [`--customer=${customer}`])],
  };
}

async function acknowledgeAlert(app: StateApp, on: string): Promise<Shown> {
  const { db } = app.state;
  const found = await alertById(db, BigInt(on.slice(1)));
  if (found === undefined) return `There is no alert ${on}.`;
  const alert = redactTexts(accountNames(await allAccounts(db))(found), app.settings);
  const { notified, acknowledgedBy, rule, severity, text, firedAt } = alert;
  if (isAcknowledged(found, notified)) return `${on} is acknowledged, by ${line(acknowledgedBy ?? '')}.`;
  return {
    change: { name: line(rule ?? on), words: 'goes to no further channel, and is not repeated.' },
    body: html`<p>If it becomes more severe, or ends, an alert follows.</p>
${facts([
  ['Account', alert.customerId && account(customerId(alert.customerId), alert.accountName)],
  ['Severity', severity],
  ['Alert', line(text)],
  ['Since', instant(firedAt)],
])}`,
    command: ['alerts', 'acknowledge', on],
  };
}
