import { coverage } from '../../jobs/coverage.ts';
import { renderCoverage } from '../../report/render-coverage.ts';
import { COVERAGE } from '../../views/coverage.ts';
import type { CommandApp } from '../command.ts';
import { refuseReversed } from '../common-options.ts';
import { textLayout } from '../output.ts';
import { listingIn } from '../print-listing.ts';
import type { CoverageOptions } from './coverage-command.ts';

export async function runCoverage(app: CommandApp<'state'>, options: CoverageOptions): Promise<void> {
  refuseReversed(options);
  const { query: queries = [], customer: customers = [], from, to, format } = options;
  const result = await app.open((opened) => coverage(opened, { queries, customers, from, to }));
  const { output } = app;
  output.stdout.write(
    format === 'table' ? renderCoverage(result, textLayout(output)) : listingIn(format, COVERAGE, result, output),
  );
}
