import type { StateApp } from '../app.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../domain/clock.ts';
import { InputError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import { refuseForgotten } from '../forgotten-past.ts';
import { messagePage } from '../page/status/message-page.ts';
import { pageAt } from '../page/status/pages.ts';
import type { Measure, PageRequest, RenderedPage } from '../server/page-source.ts';
import { hasState, statePath } from '../state-path.ts';
import { openStateToLook } from '../store/open-state.ts';
import { isBusy } from '../store/unusable-database.ts';
import { makePage } from './make-page.ts';
import { measureState } from './measure-state.ts';
import { redactTexts } from './redact-texts.ts';
import { scheduleMeasures } from './schedule-facts.ts';

/** A page is asked for by a person who waits. */
const WAIT_MS = 1000;

export interface StatusDeps {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Nothing is done here that there would be anything to tell of. */
const SILENT: Log = { info: () => undefined, warn: () => undefined, with: () => SILENT };

/**
 * One page of the status page, made of the databases as they are now, which are only looked at: a run may write meanwhile.
 * What cannot be shown is told on a page, too.
 */
export async function statusPage(deps: StatusDeps, { path, query }: PageRequest): Promise<RenderedPage> {
  const asked = pageAt(path);
  if (asked === undefined) return notFound(path);
  try {
    refuseForgotten(deps.settings);
    if (!hasState(deps.settings)) return nothingYet(path);
    const page = await withSnapshot(deps, (app) => makePage(app, asked, new URLSearchParams(query)));
    return page === undefined ? notFound(path) : { status: 200, html: page };
  } catch (error) {
    if (error instanceof InputError) {
      const words = redactTexts([error.message, error.nextStep ?? ''], deps.settings);
      return told(path, 503, 'This cannot be shown', words);
    }
    if (!isBusy(error)) throw error;
    return told(path, 503, 'Not now', ['Another program holds the database. Load the page again in a moment.']);
  }
}

/** What the databases say in numbers; nothing before the first run. */
export async function statusMeasures(deps: StatusDeps): Promise<readonly Measure[]> {
  const schedule = scheduleMeasures(deps);
  const state = hasState(deps.settings) ? await withSnapshot(deps, measureState) : [];
  return redactTexts([...state, ...schedule], deps.settings);
}

/** All that is asked is answered by the file as it was at one moment. */
async function withSnapshot<Value>(deps: StatusDeps, look: (app: StateApp) => Promise<Value>): Promise<Value> {
  const state = await openStateToLook(statePath(deps.settings), WAIT_MS);
  try {
    state.connection.exec('BEGIN');
    return await look({ ...deps, log: SILENT, state });
  } finally {
    await state.close();
  }
}

function nothingYet(path: string): RenderedPage {
  return told(path, 200, 'Nothing was read yet', [
    'There is nothing to show: no run has read anything into this data folder.',
    'pacekeeper report makes the first one; pacekeeper doctor says what it needs.',
  ]);
}

function notFound(path: string): RenderedPage {
  return told(path, 404, 'There is no such page', ['It may have been of another data folder.']);
}

function told(path: string, status: number, title: string, sentences: readonly string[]): RenderedPage {
  return { status, html: messagePage({ path, title, sentences, isKnown: true }) };
}
