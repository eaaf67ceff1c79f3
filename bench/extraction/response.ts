import { rmSync } from 'node:fs';
import type { Measurement } from '../measurement.ts';
import { runChild, withServer } from '../processes.ts';
import type { Window } from '../query.ts';
import { addTotals, NO_ROWS, type Totals } from '../totals.ts';

/** What generate-child is asked for. */
export interface ResponseJob {
  readonly rows: number;
  readonly window: Window;
  /** Where the file goes. */
  readonly folder: string;
}

/** A response on disk, as generate-child prints it. */
export interface GeneratedResponse {
  readonly file: string;
  readonly bytes: number;
  readonly window: Window;
  readonly totals: Totals;
}

/** A row of the response as JSON.parse gives it: every int64 is text, which an INTEGER column's affinity converts exactly. */
export interface ResponseRow {
  readonly campaign: { readonly id: string; readonly name: string; readonly advertisingChannelType: string };
  readonly adGroup: { readonly id: string; readonly name: string; readonly status: string };
  readonly adGroupCriterion: {
    readonly criterionId: string;
    readonly status: string;
    readonly keyword: { readonly text: string; readonly matchType: string };
  };
  readonly metrics: { readonly impressions: string; readonly clicks: string; readonly costMicros: string };
  readonly segments: { readonly date: string };
}

/** What a child that reads a response is told. */
export interface LoadJob {
  /** The server's address. */
  readonly url: string;
  /** The database's path; created when missing. */
  readonly database: string;
  readonly window: Window;
  /** What the table holds afterwards, with what it held before. */
  readonly expected: Totals;
  /** Of the community client: whether it gives rows in its own form. */
  readonly parsing?: boolean;
}

/** Makes the response, unless the folder has it from an earlier time. */
export async function generateResponse(folder: string, rows: number, window: Window): Promise<GeneratedResponse> {
  process.stderr.write(`response of ${rows} rows, ${window.days} days before ${window.today}\n`);
  const job: ResponseJob = { rows, window, folder };
  return runChild<GeneratedResponse>('extraction/generate', job);
}

/** A response that is there while `work` runs: it takes up to gigabytes. */
export async function withResponse<Result>(
  folder: string,
  rows: number,
  window: Window,
  work: (response: GeneratedResponse) => Promise<Result>,
): Promise<Result> {
  const response = await generateResponse(folder, rows, window);
  try {
    return await work(response);
  } finally {
    for (const file of [response.file, `${response.file}.totals`]) rmSync(file);
  }
}

export interface LoadOptions {
  /** What the table holds already. */
  readonly before?: Totals;
  /** Of the community client: whether it gives rows in its own form. */
  readonly parsing?: boolean;
}

/** Loads the response into the database by the process that loads in the way that is measured. */
type Load = (child: string, database: string, options?: LoadOptions) => Promise<Measurement>;

/** Serves the response from a process of its own while `work` loads it into databases. */
export async function withLoad<Result>(
  { file, window, totals }: GeneratedResponse,
  work: (load: Load) => Promise<Result>,
): Promise<Result> {
  return withServer('extraction/serve', file, (url) =>
    work((child, database, { before = NO_ROWS, ...options } = {}) => {
      const job: LoadJob = { url, database, window, expected: addTotals(before, totals), ...options };
      return runChild<Measurement>(child, job);
    }),
  );
}
