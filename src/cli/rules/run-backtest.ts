import { backtest } from '../../jobs/backtest.ts';
import { backtestRows, renderBacktest, renderBacktestJson } from '../../report/render-backtest.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommandApp } from '../command.ts';
import { refuseReversed } from '../common-options.ts';
import { EXIT } from '../print-error.ts';
import { printListing } from '../print-listing.ts';
import { ruleNamed } from '../rule-named.ts';
import type { BacktestOptions } from './rules-command.ts';

export async function runBacktest(app: CommandApp<'all'>, options: BacktestOptions): Promise<number> {
  const { rule, from, to, customer: customers = [], all: refusals = false, format } = options;
  refuseReversed({ from, to });
  const inputs = await chooseInputs(app, options);
  const result = await app.open(async (opened) =>
    backtest(opened, ruleNamed(rule, inputs.rules, 'pacekeeper rules backtest trim-expensive-clicks'), inputs, {
      customers,
      days: { from, to },
      refusals,
    }),
  );
  printListing(app.output, format, 'rules backtest', {
    table: (layout) => renderBacktest(result, layout),
    json: () => renderBacktestJson(result),
    rows: () => backtestRows(result),
  });
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}
