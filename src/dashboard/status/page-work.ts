import type { CustomerId } from '../../domain/ids.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { type ModelOrder, type SavedModel, saveModel } from '../explore/save-model.ts';
import type { AskedAct } from '../inbox/acts.ts';
import type { PageRequest, PageSource } from './page-source.ts';
import { type StatusDeps, scheduleHealth } from './schedule-standing.ts';
import { statusEffect, statusLive, statusMeasures, statusPage, statusPicture } from './status-page.ts';

/** Plain values only, because another thread gets the work. */
export type PageWork =
  | { readonly kind: 'page'; readonly request: PageRequest }
  | { readonly kind: 'picture'; readonly customer: CustomerId }
  | { readonly kind: 'effect'; readonly asked: AskedAct }
  | { readonly kind: 'model'; readonly order: ModelOrder }
  | { readonly kind: 'live' | 'measures' | 'schedule' };

export interface PageOrder {
  readonly id: number;
  readonly work: PageWork;
}

export type PageAnswer =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly problem: string };

/** Never throws. An error becomes an answer. */
export async function doPageWork(deps: StatusDeps, work: PageWork): Promise<PageAnswer> {
  try {
    return { kind: 'done', value: await answerTo(deps, work) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', problem: redactTexts(problem, deps.settings) };
  }
}

function answerTo(deps: StatusDeps, work: PageWork): unknown {
  if (work.kind === 'page') return statusPage(deps, work.request);
  if (work.kind === 'picture') return statusPicture(deps, work.customer);
  if (work.kind === 'effect') return statusEffect(deps, work.asked);
  if (work.kind === 'model') return saveModel(deps, work.order);
  if (work.kind === 'live') return statusLive(deps);
  return work.kind === 'measures' ? statusMeasures(deps) : scheduleHealth(deps);
}

/** For development, because the script of the page thread exists only after the build. */
export function pagesOfThisThread(deps: StatusDeps): PageSource {
  return pageSource(
    (work) => doPageWork(deps, work),
    async () => undefined,
  );
}

export function pageSource(ask: (work: PageWork) => Promise<PageAnswer>, close: PageSource['close']): PageSource {
  const ofKind = async <Value>(work: PageWork): Promise<Value> => {
    const answer = await ask(work);
    if (answer.kind === 'failed') throw new Error(answer.problem);
    return answer.value as Value;
  };
  return {
    render: (request) => ofKind({ kind: 'page', request }),
    picture: (customer) => ofKind({ kind: 'picture', customer }),
    effect: (asked) => ofKind({ kind: 'effect', asked }),
    saveModel: (order) => ofKind<SavedModel>({ kind: 'model', order }),
    live: () => ofKind({ kind: 'live' }),
    measure: () => ofKind({ kind: 'measures' }),
    schedule: () => ofKind({ kind: 'schedule' }),
    close,
  };
}
