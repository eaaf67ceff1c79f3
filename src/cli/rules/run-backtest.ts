import type { CivilDate } from '../../domain/civil-date.ts';
import { backtest } from '../../jobs/backtest.ts';
import { RULES_BACKTEST } from '../../views/rules-backtest.ts';
import { refuseReversed } from '../date-option.ts';
import type { Process } from '../process.ts';
import { type RulesCommandOptions, ruleNamed, runOnRules } from './run-on-rules.ts';

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
  return runOnRules({ ...options, rule: name }, process, command, RULES_BACKTEST, (app, inputs) =>
    backtest(app, ruleNamed(name, inputs.rules, command), inputs, { customers, days: { from, to }, refusals }),
  );
}
