import type { StateApp } from '../../app.ts';
import { mayAct, type Role } from '../../domain/role.ts';
import { type Html, html } from '../../html/html.ts';
import { linkFrom, PAGES } from '../../html/pages.ts';
import { frame, stateFrame } from '../status/frame.ts';
import { ACTS, type AskedAct, actQuery, SILENCE_TIMES } from './acts.ts';
import { type Effect, effectOf } from './effects.ts';

const { path } = PAGES.inbox;
const REASON_LENGTH_MAX = 500;

/** `form` proves that the form comes from this page. Undefined if the person cannot act. */
export async function actPage(app: StateApp, asked: AskedAct, form: string | undefined): Promise<string> {
  const effect = await effectOf(app, asked);
  const title = `${ACTS[asked.act].verb} ${asked.on}`.trim();
  const back = html`<p class="ways"><a href="${linkFrom(path, path)}">Back to the inbox</a></p>`;
  if (effect === undefined) {
    const gone = html`<p>There is nothing to decide. Somebody may have decided already.</p>`;
    return stateFrame(app, { path, title, body: html`<h1>${title}</h1>${gone}${back}` });
  }
  const act = form === undefined ? byCommand(effect) : confirmation(asked, effect, form);
  return stateFrame(app, { path, title, body: html`<h1>${title}</h1>${effect.body}${act}${back}` });
}

function byCommand({ command }: Effect): Html {
  return html`<p class="note">Your token cannot act. Log in with a token of the role approver, or run <code>pacekeeper ${command.join(' ')}</code>.</p>`;
}

function confirmation({ act, on }: AskedAct, { seen }: Effect, form: string): Html {
  const times = Object.entries(SILENCE_TIMES).map(([time, words]) => html`<option value="${time}">${words}</option>`);
  const duration = html`<label for="for">For</label><select id="for" name="for">${times}</select>`;
  return html`<form class="act" method="post" action="${linkFrom(path, path)}">
${Object.entries({ act, on, seen, form }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${act === 'silence' && duration}
<label for="why">Reason, for the record</label>
<input id="why" name="why" required maxlength="${REASON_LENGTH_MAX}" autocomplete="off" autofocus>
<button type="submit">${ACTS[act].verb}</button>
</form>`;
}

/** A link that leads to {@link actPage}. Undefined for a role that cannot act. */
export function actLink(role: Role, asked: AskedAct, here: string = path): Html | undefined {
  if (!mayAct(role)) return undefined;
  return html`<a class="button" href="${linkFrom(here, path)}${actQuery(asked)}">${ACTS[asked.act].verb}…</a>`;
}

export interface Outcome {
  readonly isDone: boolean;
  /** The output of the command. */
  readonly text: string;
}

export function outcomePage({ act, on }: AskedAct, { isDone, text }: Outcome): string {
  const what = `${ACTS[act].verb} ${on}`.trim();
  const title = isDone ? `Done: ${what}` : `Not done: ${what}`;
  return frame({
    path,
    title,
    body: html`<h1>${title}</h1><pre class="output" tabindex="0">${text}</pre>
<p class="ways"><a href="${linkFrom(path, path)}">Back to the inbox</a></p>`,
  });
}
