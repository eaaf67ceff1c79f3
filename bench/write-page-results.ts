import { MANY, type PageResults } from './bench-page.ts';
import { renderTable } from './markdown.ts';
import type { Measurement } from './measurement.ts';
import { PAGE_DAYS } from './page-job.ts';
import type { PartReport } from './part-report.ts';

/** What the report's page takes. */
export function reportPage(results: PageResults): PartReport {
  const { sums, page, manyRows, pageBySums, manyByFew, pageCampaigns, pageKiB, runs } = results;
  const row = (name: string, { seconds, peakMiB }: Measurement, ratio: string) => [
    ...[name, seconds.toFixed(2), peakMiB.toFixed(0), ratio],
  ];
  const table = renderTable(
    ['a year', 'seconds', 'peak MiB', 'ratio'],
    [
      row('S: the bare sums per campaign', sums, '1'),
      row('P: the page, facts and drawing', page, `${pageBySums.median.toFixed(1)} × S`),
      row(`the page over ${MANY} times the rows`, manyRows, `${manyByFew.median.toFixed(2)} × P`),
    ],
  );
  const days = `${pageCampaigns.toLocaleString('en')} campaigns × ${PAGE_DAYS} days`;
  const figures = `${table}

One account, ${days} = ${(pageCampaigns * PAGE_DAYS).toLocaleString('en')} rows of \`keyword_stats_by_day\`; S is a single
\`SELECT … GROUP BY campaign_id\` over them. The page is ${pageKiB.toFixed(0)} KiB. Memory is the whole process's. Medians of ${runs} interleaved pairs.`;
  return { figures, targets: [] };
}
