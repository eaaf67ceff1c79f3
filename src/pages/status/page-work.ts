import { redactTexts } from '../../pipeline/redact-texts.ts';
import type { PageRequest, PageSource } from './page-source.ts';
import { type StatusDeps, scheduleHealth } from './schedule-standing.ts';
import { statusMeasures, statusPage } from './status-page.ts';

/** Work for the thread that makes pages. Values alone go from thread to thread, and so does an answer. */
export type PageWork =
  | { readonly kind: 'page'; readonly request: PageRequest }
  | { readonly kind: 'measures' | 'schedule' };

export interface PageOrder {
  readonly id: number;
  readonly work: PageWork;
}

export type PageAnswer =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly problem: string };

/** Does the work, and tells what went wrong instead of throwing it. */
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
  return work.kind === 'measures' ? statusMeasures(deps) : scheduleHealth(deps);
}

/** Pages without a thread of their own: where the program is not built, and there is nobody to keep waiting. */
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
    measure: () => ofKind({ kind: 'measures' }),
    schedule: () => ofKind({ kind: 'schedule' }),
    close,
  };
}
