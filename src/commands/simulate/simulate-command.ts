import { command } from '../../cli/command.ts';
import { customerOption, dayOption, FORMAT, PARAMETERS, wholeNumberOption } from '../../cli/common-options.ts';
import { needed, option, type Taken, unlessNo } from '../../cli/takes.ts';

const DAYS_MAX = 3650;
const CAMPAIGNS_MAX = 2000;

const TAKES = {
  days: needed(wholeNumberOption('how many days', 1, DAYS_MAX)),
  seed: wholeNumberOption('which market (default: sandbox.seed of the settings)', 0, 2 ** 31 - 1),
  market: option('<file>', 'real history as the demand: CSV or CSV.gz, as for pacekeeper sandbox'),
  customer: customerOption("an account of the sandbox's market (default: its first, in EUR)"),
  campaigns: wholeNumberOption('an account of so many campaigns instead', 1, CAMPAIGNS_MAX),
  from: dayOption('the first day (default: 2026-01-01; in a file its 91st, or earlier)'),
  shocks: unlessNo('demand without shocks, as the sandbox has it'),
  param: PARAMETERS,
  html: option('<file>', 'write charts and all tables as a page, too'),
  svg: option('<file>', 'write the picture alone, too'),
  format: FORMAT,
};
export type SimulateOptions = Taken<typeof TAKES>;

export const simulateCommand = command({
  name: 'simulate',
  summary: 'Let the rules loose on a simulated market, beside the same market without them. Nothing is sent.',
  takes: TAKES,
  examples: [
    'pacekeeper simulate --days 90',
    'pacekeeper simulate --days 90 --seed 7 --rules ./new --html new.html',
    'pacekeeper simulate --days 180 --market history.csv.gz --format json',
  ],
  about: 'All rules act, whatever their mode. Equal seeds and rules give equal results.',
  load: async () => (await import('./run-simulate.ts')).runSimulate,
});
