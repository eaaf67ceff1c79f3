import { command } from '../cli/command.ts';
import { customerOption, dayOption, FORMAT, PARAMETERS, wholeNumberOption } from '../cli/common-options.ts';
import { needed, option, type Taken, unlessNo } from '../cli/takes.ts';

const DAYS_MAX = 3650;
const CAMPAIGNS_MAX = 2000;

const TAKES = {
  days: needed(wholeNumberOption('number of days', 1, DAYS_MAX)),
  seed: wholeNumberOption('seed of the market (default: sandbox.seed in the settings)', 0, 2 ** 31 - 1),
  market: option('<file>', 'real history as the demand: CSV or CSV.gz, as for pacekeeper sandbox'),
  customer: customerOption("an account of the sandbox's market (default: its first, in EUR)"),
  campaigns: wholeNumberOption('simulate an account with this number of campaigns instead', 1, CAMPAIGNS_MAX),
  from: dayOption("first day (default: 2026-01-01; with --market, the file's 91st day, or earlier if --days needs it)"),
  shocks: unlessNo('no demand shocks'),
  param: PARAMETERS,
  html: option('<file>', 'also write a page with charts and all tables'),
  svg: option('<file>', 'also write the picture alone, as an SVG file'),
  format: FORMAT,
};
export type SimulateOptions = Taken<typeof TAKES>;

export const simulateCommand = command({
  name: 'simulate',
  summary: 'Run the rules on a simulated market, and compare with the same market without rules. Sends nothing.',
  takes: TAKES,
  examples: [
    'pacekeeper simulate --days 90',
    'pacekeeper simulate --days 90 --seed 7 --rules ./new --html new.html',
    'pacekeeper simulate --days 180 --market history.csv.gz --format json',
  ],
  about: `All rules make their changes, whatever their mode.
Equal seeds and rules give equal results.`,
  load: async () => (await import('./run-simulate.ts')).runSimulate,
});
