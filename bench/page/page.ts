import { describeRuns, type PartReport, renderTable } from '../figures.ts';
import { withFolder } from '../folders.ts';
import { compareMeasured, type Measurement } from '../measurement.ts';
import { runChild } from '../processes.ts';
import { PAGE_DAYS, type PageJob, type PageMeasurement } from './page-job.ts';

export interface PageSizes {
  readonly runs: number;
  readonly pageCampaigns: number;
}

/** Rows of a campaign and day in the larger of the two files. */
const MANY = 5;

/** Measures the report's page of a year: against the bare sums, and against itself over five times the rows. */
export async function benchPage(folder: string, { runs, pageCampaigns }: PageSizes): Promise<PartReport> {
  const filled = (keywords: number, work: (job: PageJob) => Promise<PartReport>) =>
    withFolder(folder, async (own) => {
      const job: PageJob = { folder: own, campaigns: pageCampaigns, keywords };
      await runChild('page/fill-page', job);
      return work(job);
    });
  return filled(1, (few) =>
    filled(MANY, async (many) => {
      const page = (job: PageJob) => runChild<PageMeasurement>('page/page', job);
      const sums = () => runChild<Measurement>('page/page-sums', few);
      // Not counted: it brings the files into the machine's memory.
      const { pageKiB } = await page(few);
      await page(many);
      const onFew = () => page(few);
      const bySums = await compareMeasured('page', runs, sums, onFew);
      const byRows = await compareMeasured('page of more rows', runs, onFew, () => page(many));
      const row = (name: string, { seconds, peakMiB }: Measurement, ratio: string) => [
        name,
        seconds.toFixed(2),
        peakMiB.toFixed(0),
        ratio,
      ];
      const table = renderTable(
        ['a year', 'seconds', 'peak MiB', 'ratio'],
        [
          row('S: only the sums per campaign', bySums.baseline, '1'),
          row('P: gathering the data and drawing the page', bySums.ours, `${bySums.ratio.median.toFixed(1)} × S`),
          row(`the page over ${MANY} times the rows`, byRows.ours, `${byRows.ratio.median.toFixed(2)} × P`),
        ],
      );
      const days = `${pageCampaigns.toLocaleString('en')} campaigns × ${PAGE_DAYS} days`;
      const figures = `${table}

One account, ${days} = ${(pageCampaigns * PAGE_DAYS).toLocaleString('en')} rows of \`keyword_stats_by_day\`.
S is one \`SELECT … GROUP BY campaign_id\`. The page is ${pageKiB.toFixed(0)} KiB. ${describeRuns(runs)}`;
      return { figures, targets: [] };
    }),
  );
}
