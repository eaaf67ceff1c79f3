import { REASON_LENGTH_MAX, recordLine } from '../../domain/outside-text.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import { may, type Role } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { type Html, html } from '../../views/html/html.ts';
import { budgetLink } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import { frame, stateFrame } from '../status/frame.ts';
import {
  ACTS,
  type AskedAct,
  actPath,
  actWay,
  type Change,
  HELD,
  isHeld,
  type LineNow,
  needsReason,
  SILENCE_TIMES,
  titleOf,
} from './acts.ts';
import { type Effect, effectOf } from './effects.ts';

const { path } = PAGES.inbox;

/** `form` proves that the form comes from this page. Undefined if the person cannot act. `why` is the reason so far. */
export async function actPage(app: StateApp, asked: AskedAct, form: string | undefined, why: string): Promise<string> {
  const effect = await effectOf(app, asked);
  const title = titleOf(asked);
  if (effect.kind === 'gone') {
    const { reason, way } = effect;
    return stateFrame(app, { path, title, body: html`<div class="card"><p>${reason}</p>${backWith(way)}</div>` });
  }
  return stateFrame(app, { path, title, body: actCard(asked, effect, form, recordLine(why)) });
}

export function actCard(asked: AskedAct, effect: Effect, form: string | undefined, why = ''): Html {
  const { change, body } = effect;
  const act = form === undefined ? byCommand(effect) : confirmation(asked, effect, form, why);
  return html`<div class="card"><p class="find">${changeWords(change)}</p>${body}${act}${backWith()}</div>`;
}

function backWith(way?: AskedAct, words?: string): Html {
  return html`<p class="ways">${way && actWay(path, way, words)}<a class="back" href="${linkFrom(path, path)}">Back to the inbox</a></p>`;
}

function changeWords({ name, words }: Change): Html {
  return html`${name !== undefined && html`${named(name)}: `}${words}`;
}

function byCommand({ command }: Effect): Html {
  return html`<p class="note">Your token cannot act. Log in with a token of the role approver, or run <code>pacekeeper ${command.join(' ')}</code>.</p>`;
}

function confirmation(asked: AskedAct, { seen }: Effect, form: string, why: string): Html {
  const { act, on } = asked;
  const times = Object.entries(SILENCE_TIMES).map(
    ([time, words], index) =>
      html`<label><input type="radio" name="for" value="${time}"${index === 0 && ' checked'}> ${words}</label>`,
  );
  const duration = html`<fieldset><legend>For</legend>${times}</fieldset>`;
  const reason = html`<label for="why">Your reason</label>
<input id="why" type="text" name="why" value="${why}" required maxlength="${REASON_LENGTH_MAX}" autocomplete="off" autofocus aria-describedby="record">
<p class="note" id="record">Required. The record keeps it with the name of your token.</p>`;
  return html`<form class="act" method="post" action="${linkFrom(path, path)}">
${Object.entries({ act, on, seen, form }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${act === 'silence' && duration}
${needsReason(asked) && reason}
<button type="submit"${!needsReason(asked) && ' autofocus'}>${ACTS[act].verb}</button>
</form>`;
}

/** A link that leads to {@link actPage}. Undefined for a role that cannot act. */
export function actLink(role: Role, asked: AskedAct, isFrozen = false): Html | undefined {
  const { act } = asked;
  if (!may(role, act)) return undefined;
  const { verb } = ACTS[act];
  const label = titleOf(asked);
  if (isFrozen && isHeld(asked)) {
    return html`<span><a class="button" role="link" aria-disabled="true" aria-label="${label}">${verb}</a> <small>${HELD}</small></span>`;
  }
  return html`<a class="button${act === 'approve' && ' primary'}" href="${linkFrom(path, actPath(asked))}" aria-label="${label}">${verb}</a>`;
}

export interface Outcome {
  readonly exitCode: number | null;
  /** The output of the command. */
  readonly text: string;
  /** The change that was made, or how things stand after a failure. */
  readonly change: Change;
  /** After a failure, the act that a person can try next. */
  readonly way?: AskedAct | undefined;
  /** How each line of a plan ended. */
  readonly lines?: readonly LineNow[];
}

export function outcomePage(asked: AskedAct, { exitCode, text, change, way, lines = [] }: Outcome): string {
  const isDone = exitCode === 0;
  const title = `${isDone ? 'Done' : 'Failed'}: ${titleOf(asked)}`;
  const output = html`<pre class="output" tabindex="0" aria-label="Output">${text}</pre>`;
  const shown = isDone
    ? html`<details><summary>Output of the command</summary>${output}</details>`
    : html`<p>The command ended with ${exitCode === null ? 'no exit code' : `exit code ${exitCode}`}:</p>${output}`;
  return frame({
    path,
    title,
    body: html`<div class="card"><p class="find" role="status">${changeWords(change)}</p>${lines.length > 1 && html`<ul class="asked">${lines.map(lineOutcome)}</ul>`}${text !== '' && shown}
${backWith(way, way?.act === asked.act ? 'Try again' : undefined)}</div>`,
  });
}

function lineOutcome({ code, name, customerId, budgetId, words, way }: LineNow): Html {
  const here = customerId && budgetId && { customerId, budgetId, campaignName: name };
  const budget = here && html`<strong>${budgetLink(path, here)}</strong> `;
  return html`<li><span class="name">${budget}<span class="code muted">${code}</span></span><span>${words}</span>${way && actWay(path, way, titleOf(way))}</li>`;
}
