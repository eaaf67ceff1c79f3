import { chooseInputs, ruleNamed } from '../../cli/choose-inputs.ts';
import type { CommandApp } from '../../cli/command.ts';
import { refuseReversed } from '../../cli/common-options.ts';
import { EXIT } from '../../cli/print-error.ts';
import { listingIn } from '../../cli/print-listing.ts';
import { RULES_BACKTEST } from '../../views/rules-backtest.ts';
import { backtest } from './backtest.ts';
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
  app.output.stdout.write(listingIn(format, RULES_BACKTEST, result, app.output));
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}
