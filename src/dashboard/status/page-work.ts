import { redactTexts } from '../../engine/redact-texts.ts';
import { noteCall } from '../agents/note-call.ts';
import { keepQuestion } from '../explore/keep-question.ts';
import { saveModel } from '../explore/save-model.ts';
import { BACKTEST, type PageSource } from './page-source.ts';
import { type StatusDeps, scheduleHealth } from './schedule-standing.ts';
import {
  statusCheckedSelect,
  statusDataStanding,
  statusEffect,
  statusLink,
  statusLive,
  statusMeasures,
  statusPage,
  statusPicture,
  statusQuestion,
} from './status-page.ts';

type Jobs = Omit<PageSource, 'close'>;
type Asked<Job extends keyof Jobs> = Parameters<Jobs[Job]>[0];

const JOBS: { readonly [Job in keyof Jobs]: (deps: StatusDeps, asked: Asked<Job>) => ReturnType<Jobs[Job]> } = {
  render: statusPage,
  picture: statusPicture,
  effect: statusEffect,
  saveModel,
  question: statusQuestion,
  readLink: statusLink,
  keepQuestion,
  dataStanding: statusDataStanding,
  checkSelect: statusCheckedSelect,
  noteCall,
  live: statusLive,
  measure: statusMeasures,
  schedule: async (deps) => scheduleHealth(deps),
};

/** Plain values only, because another thread gets the work. */
export type PageWork = {
  readonly [Job in keyof Jobs]: { readonly job: Job; readonly asked: Asked<Job> };
}[keyof Jobs];

/** A back-test takes seconds. Other pages must not wait for it. */
export function isLong(work: PageWork): boolean {
  return work.job === 'render' && new URLSearchParams(work.asked.query).has(BACKTEST);
}

export interface PageOrder {
  readonly id: number;
  readonly work: PageWork;
}

export type PageAnswer =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly problem: string };

/** Never throws. An error becomes an answer. */
export async function doPageWork(deps: StatusDeps, { job, asked }: PageWork): Promise<PageAnswer> {
  const answer: (deps: StatusDeps, asked: never) => Promise<unknown> = JOBS[job];
  try {
    return { kind: 'done', value: await answer(deps, asked as never) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', problem: redactTexts(problem, deps.settings) };
  }
}

/** For development, because the script of the page thread exists only after the build. */
export function pagesOfThisThread(deps: StatusDeps): PageSource {
  return pageSource(
    (work) => doPageWork(deps, work),
    async () => undefined,
  );
}

export function pageSource(ask: (work: PageWork) => Promise<PageAnswer>, close: PageSource['close']): PageSource {
  const answering = (job: string) => async (asked: unknown) => {
    const answer = await ask({ job, asked } as PageWork);
    if (answer.kind === 'failed') throw new Error(answer.problem);
    return answer.value;
  };
  const jobs = Object.fromEntries(Object.keys(JOBS).map((job) => [job, answering(job)]));
  return { ...(jobs as unknown as Jobs), close };
}
