import type { ScheduleHealth } from '../server/health-route.ts';
import type { Measure, PageRequest, RenderedPage } from '../server/page-source.ts';
import { redactTexts } from './redact-texts.ts';
import { scheduleHealth } from './schedule-facts.ts';
import { type StatusDeps, statusMeasures, statusPage } from './status-page.ts';

/** What the thread that makes pages is asked for, and how it answers: values alone, which go from thread to thread. */
export type PageWork =
  | { readonly kind: 'page'; readonly request: PageRequest }
  | { readonly kind: 'measures' | 'schedule' };

export interface PageOrder {
  readonly id: number;
  readonly work: PageWork;
}

export type PageAnswer =
  | { readonly kind: 'page'; readonly page: RenderedPage }
  | { readonly kind: 'measures'; readonly measures: readonly Measure[] }
  | { readonly kind: 'schedule'; readonly health: ScheduleHealth }
  | { readonly kind: 'failed'; readonly problem: string };

/** Does the work, and tells what went wrong instead of throwing it. */
export async function doPageWork(deps: StatusDeps, work: PageWork): Promise<PageAnswer> {
  try {
    if (work.kind === 'page') return { kind: 'page', page: await statusPage(deps, work.request) };
    if (work.kind === 'schedule') return { kind: 'schedule', health: scheduleHealth(deps) };
    return { kind: 'measures', measures: await statusMeasures(deps) };
  } catch (error) {
    return {
      kind: 'failed',
      problem: redactTexts(error instanceof Error ? error.message : String(error), deps.settings),
    };
  }
}
