import { SCRIPT_PATH } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { RUN_WORDS } from '../../storage/columns/state-words.ts';
import { newestProgress, type RunProgress } from '../../storage/records/runs/run-history.ts';
import { type Html, html } from '../../views/html/html.ts';
import { count } from '../../views/text/text-layout.ts';
import { scriptTag } from './page-script.ts';

/** The newest run. Its state is `died` if its process no longer holds the folder. */
export async function liveRun({
  state,
  settings,
}: Pick<StateApp, 'state' | 'settings'>): Promise<RunProgress | undefined> {
  const run = await newestProgress(state.db);
  if (run?.state !== 'running' || (await (await engineOf(settings)).isLockedSince(run.startedAt))) return run;
  return { ...run, state: 'died' };
}

/** The message to an open page. */
export function liveNews(run: RunProgress): string {
  return JSON.stringify({ run: String(run.id), ended: run.state !== 'running', text: progressText(run) });
}

function progressText({ id, command, state, slices, slicesRead, rowsRead }: RunProgress): string {
  const name = `Run ${id} (${command})`;
  if (state !== 'running') return `${name} ended: ${RUN_WORDS[state][0]}.`;
  if (slices === 0) return `${name} in progress.`;
  const read = `${slicesRead.toLocaleString('en-US')} of ${count(slices, 'slice')} read`;
  return `${name} in progress: ${read}, ${count(Number(rowsRead), 'row')}.`;
}

/** The line is empty if no run is in progress. The script fills it with news that came after the page was made. */
export function liveLine(path: string, run: RunProgress | undefined): Html {
  const words = run?.state === 'running' && html`${progressText(run)}<noscript> Reload for news.</noscript>`;
  const ended = run !== undefined && run.state !== 'running' && html` data-ended="${run.id}"`;
  return html`<p class="live" role="status"${ended}>${words}</p>
${scriptTag(path, SCRIPT_PATH)}`;
}
