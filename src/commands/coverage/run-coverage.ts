import { coverage } from '../../engine/read/coverage.ts';
import { COVERAGE } from '../../views/coverage.ts';
import { renderCoverage } from '../../views/report/render-coverage.ts';
import type { CommandApp } from '../cli/command.ts';
import { refuseReversed } from '../cli/common-options.ts';
import { textLayout } from '../cli/output.ts';
import { listingIn } from '../cli/print-listing.ts';
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
