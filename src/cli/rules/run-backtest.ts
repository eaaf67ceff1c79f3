import type { CivilDate } from '../../domain/civil-date.ts';
import { backtest } from '../../jobs/backtest.ts';
import type { BacktestResult } from '../../report/backtest-result.ts';
import { backtestRows, renderBacktest, renderBacktestJson } from '../../report/render-backtest.ts';
import { refuseReversed } from '../date-option.ts';
import { listingText } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { type RulesCommandOptions, ruleNamed, runOnRules, type Shown } from './run-on-rules.ts';

export interface BacktestCommandOptions extends RulesCommandOptions {
  readonly from: CivilDate;
  readonly to: CivilDate;
  readonly all?: boolean;
}

/** The rules backtest command. Answers with the exit code. */
export async function runBacktest(name: string, options: BacktestCommandOptions, process: Process): Promise<number> {
  const { from, to, customer: customers = [], all: refusals = false } = options;
  refuseReversed({ from, to });
  const command = 'pacekeeper rules backtest';
  const shown: Shown<BacktestResult> = (result, format, output) =>
    listingText(output, format, 'rules backtest', {
      table: (layout) => renderBacktest(result, layout),
      json: () => renderBacktestJson(result),
      rows: () => backtestRows(result),
    });
  return runOnRules({ ...options, rule: name }, process, command, shown, (app, inputs) =>
    backtest(app, ruleNamed(name, inputs.rules, command), inputs, { customers, days: { from, to }, refusals }),
  );
}
