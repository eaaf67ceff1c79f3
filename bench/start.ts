import { resolve } from 'node:path';
import { describeRuns, type PartReport, renderTable, withSpread } from './figures.ts';
import { type Comparison, compare } from './measurement.ts';
import { PROGRAM, timeProcess } from './processes.ts';

const PROJECT = resolve('.');
const VERSION_RATIO_MAX = 2;
const HELP_RATIO_MAX = 3;

/** Measures cold starts, what a person waits for before a command begins, against a Node that does nothing. `--help` builds every command. */
export async function benchStart({ runs }: { readonly runs: number }): Promise<PartReport> {
  const nothing = () => timeProcess('-e', ['0'], PROJECT);
  const start = (option: string) =>
    compare(`start of ${option}`, runs, nothing, () => timeProcess(PROGRAM, [option], PROJECT));
  const version = await start('--version');
  const help = await start('--help');
  const row = (name: string, { seconds, ratio }: Comparison) => [
    name,
    seconds.toFixed(3),
    withSpread(`${ratio.median.toFixed(2)} × N`, ratio),
  ];
  const table = renderTable(
    ['cold process', 'seconds', 'ratio'],
    [
      ['N: `node -e 0`', version.baselineSeconds.toFixed(3), '1'],
      row('`pacekeeper --version`', version),
      row('`pacekeeper --help`', help),
    ],
  );
  const verdict = ({ ratio }: Comparison, most: number) =>
    `${most} × N (${ratio.median <= most ? 'reached' : 'not yet'})`;
  const figures = `${table}

Targets: at most ${verdict(version, VERSION_RATIO_MAX)} and ${verdict(help, HELP_RATIO_MAX)}. ${describeRuns(runs)}`;
  return { figures, targets: [] };
}
