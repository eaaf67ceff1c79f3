import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import type { Measurement } from './measurement.ts';
import type { PageJob, PageMeasurement } from './page-job.ts';
import { runChild } from './run-child.ts';
import { withFolder } from './with-folder.ts';

export interface PageSizes {
  readonly runs: number;
  readonly pageCampaigns: number;
}

export interface PageResults extends PageSizes {
  readonly sums: Measurement;
  readonly page: Measurement;
  readonly pageKiB: number;
  readonly pageBySums: Ratio;
  /** With {@link MANY} times the rows, and as many campaigns and days. */
  readonly manyRows: Measurement;
  readonly manyByFew: Ratio;
}

/** Rows of a campaign and day in the larger of the two files. */
export const MANY = 5;

/** Measures the report's page of a year: against the bare sums, and against itself over five times the rows. */
export async function benchPage(folder: string, { runs, pageCampaigns }: PageSizes): Promise<PageResults> {
  const filled = (keywords: number, work: (job: PageJob) => Promise<PageResults>) =>
    withFolder(folder, async (own) => {
      const job: PageJob = { folder: own, campaigns: pageCampaigns, keywords };
      await runChild('fill-page', job);
      return work(job);
    });
  return filled(1, (few) =>
    filled(MANY, async (many) => {
      const page = (job: PageJob) => runChild<PageMeasurement>('page', job);
      // Not counted: it brings the files into the machine's memory.
      const [{ pageKiB }] = [await page(few), await page(many)];
      const bySums = await interleave(
        'page',
        runs,
        () => runChild<Measurement>('page-sums', few),
        () => page(few),
      );
      const byRows = await interleave(
        'page of more rows',
        runs,
        () => page(few),
        () => page(many),
      );
      return {
        ...{ runs, pageCampaigns, pageKiB },
        sums: medianOf(bySums, ({ baseline }) => baseline),
        page: medianOf(bySums, ({ ours }) => ours),
        pageBySums: ratioOf(bySums, ({ baseline, ours }) => ours.seconds / baseline.seconds),
        manyRows: medianOf(byRows, ({ ours }) => ours),
        manyByFew: ratioOf(byRows, ({ baseline, ours }) => ours.seconds / baseline.seconds),
      };
    }),
  );
}
