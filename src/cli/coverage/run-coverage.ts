import { coverage } from '../../jobs/coverage.ts';
import { coverageRows, renderCoverage, renderCoverageJson } from '../../report/render-coverage.ts';
import type { CommandApp } from '../command.ts';
import { refuseReversed } from '../common-options.ts';
import { printListing } from '../print-listing.ts';
import type { CoverageOptions } from './coverage-command.ts';

export async function runCoverage(app: CommandApp<'state'>, options: CoverageOptions): Promise<void> {
  refuseReversed(options);
  const { query: queries = [], customer: customers = [], from, to, format } = options;
  const result = await app.open((opened) => coverage(opened, { queries, customers, from, to }));
  printListing(app.output, format, 'coverage', {
    table: (layout) => renderCoverage(result, layout),
    json: () => renderCoverageJson(result),
    rows: () => coverageRows(result),
  });
}
