import { parseArgs } from 'node:util';
import { HAS_POSTGRES } from '../test/support/postgres-server.ts';
import type { AccountsSizes } from './accounts/accounts.ts';
import type { BacktestSizes } from './backtest/backtest.ts';
import { PAGE } from './benchmarks-page.ts';
import type { ClientsSizes } from './clients/clients.ts';
import type { ExtractionSizes } from './extraction/extraction.ts';
import type { GrowthSizes } from './growth.ts';
import type { PageSizes } from './page/page.ts';
import type { PeersSizes } from './peers/peers.ts';
import { installedClient } from './peers/peers-folder.ts';
import type { PostgresSizes } from './postgres/postgres.ts';
import type { RulesSizes } from './rules/rules.ts';
import type { ScaleSizes } from './scale/scale.ts';
import type { ServeSizes } from './serve/serve.ts';
import type { SimulateSizes } from './simulate/simulate.ts';

const PARTS = [
  'extraction',
  'growth',
  'accounts',
  'publish',
  'rules',
  'postgres',
  'scale',
  'peers',
  'check',
  'serve',
  'start',
  'page',
  'pages',
  'backtest',
  'anomalies',
  'simulate',
  'clients',
  'year',
] as const;
export type PartName = (typeof PARTS)[number];

/** What the targets speak of; fewer are for trying a part out. */
const SIZES = {
  rows: 1_000_000,
  memoryRows: 5_000_000,
  tableRows: 10_000_000,
  dayRows: 10_000,
  accounts: 1_000,
  campaigns: 10_000,
  pageCampaigns: 2_000,
  backtestCampaigns: 44,
  simulateDays: 90,
  simulateCampaigns: 100,
  clientTargets: 500,
  seeds: 100,
};
const DEFAULTS = {
  runs: 5,
  ...SIZES,
  accountRows: 300,
  scaleRows: 50,
  latencyMs: 50,
  checkRuns: 21,
  files: 1_000,
  requests: 10_000,
  connections: 32,
  startRuns: 21,
};

const INSTALL_CLIENT = 'npm ci --prefix bench/peers --ignore-scripts';

export interface Options {
  readonly parts: readonly PartName[];
  /** Undefined when figures are not worth keeping. */
  readonly file: string | undefined;
  readonly extraction: ExtractionSizes;
  readonly growth: GrowthSizes;
  readonly accounts: AccountsSizes;
  readonly rules: RulesSizes;
  readonly postgres: PostgresSizes;
  readonly scale: ScaleSizes;
  readonly check: { readonly runs: number; readonly files: number };
  readonly serve: ServeSizes;
  readonly start: { readonly runs: number };
  readonly page: PageSizes;
  readonly backtest: BacktestSizes;
  readonly simulate: SimulateSizes;
  readonly clients: ClientsSizes;
  readonly tableRows: number;
  /** Real history, which the project does not have. */
  readonly data: string | undefined;
  readonly peers: PeersSizes;
}

/**
 * Reads the parts' names and `--runs`, `--rows`, `--memory-rows`, `--table-rows`, `--day-rows`, `--accounts`,
 * `--account-rows`, `--scale-rows`, `--processes 1,2,4`, `--concurrency` (of each process), `--latency-ms`, `--listed manager|all`, `--campaigns`, `--check-runs`, `--files`,
 * `--requests`, `--connections`, `--start-runs`, `--page-campaigns`, `--backtest-campaigns`, `--simulate-days`,
 * `--simulate-campaigns`, `--client-targets`, `--seeds`, `--page FILE`. Without a name: every part that is installed. `--data FILE`
 * names real history for `anomalies` and `year`, `--gaarf FOLDER` the folder of gaarf's Node command. Figures of fewer rows than the targets speak of reach a page only if it is named.
 */
export function readOptions(args: readonly string[]): Options {
  const counts = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[];
  const parsed = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(counts.map((name) => [optionOf(name), { type: 'string' as const }])),
      page: { type: 'string' as const },
      listed: { type: 'string' as const },
      processes: { type: 'string' as const },
      concurrency: { type: 'string' as const },
      data: { type: 'string' as const },
      gaarf: { type: 'string' as const },
    },
  });
  const values: Readonly<Record<string, string | undefined>> = parsed.values;
  const count = (name: keyof typeof DEFAULTS): number => {
    const text = values[optionOf(name)];
    return text === undefined ? DEFAULTS[name] : readCount(`--${optionOf(name)}`, text);
  };
  const runs = count('runs');
  const rows = count('rows');
  const sizes = Object.keys(SIZES) as (keyof typeof SIZES)[];
  const isTrial = sizes.some((name) => count(name) < SIZES[name]) || parsed.values.processes !== undefined;
  return {
    parts: readParts(parsed.positionals),
    file: parsed.values.page ?? (isTrial ? undefined : PAGE),
    extraction: { runs, rows, memoryRows: count('memoryRows') },
    growth: { runs, rows, dayRows: count('dayRows') },
    accounts: {
      runs,
      accounts: count('accounts'),
      rowsEach: count('accountRows'),
      latencyMs: count('latencyMs'),
      listed: readListed(parsed.values.listed ?? 'manager'),
    },
    rules: { runs, campaigns: count('campaigns') },
    postgres: { runs, rows, campaigns: count('campaigns') },
    scale: {
      accounts: count('accounts'),
      rowsEach: count('scaleRows'),
      latencyMs: count('latencyMs'),
      listed: 'manager',
      processes: readProcesses(parsed.values.processes),
      concurrency:
        parsed.values.concurrency === undefined ? undefined : readCount('--concurrency', parsed.values.concurrency),
    },
    check: { runs: count('checkRuns'), files: count('files') },
    serve: { runs, requests: count('requests'), connections: count('connections') },
    start: { runs: count('startRuns') },
    page: { runs, pageCampaigns: count('pageCampaigns') },
    backtest: { runs, campaigns: count('backtestCampaigns') },
    simulate: { runs, days: count('simulateDays'), campaigns: count('simulateCampaigns') },
    clients: { runs, clientTargets: count('clientTargets'), seeds: count('seeds') },
    tableRows: count('tableRows'),
    data: parsed.values.data,
    peers: { runs, rows, gaarf: parsed.values.gaarf },
  };
}

const OF_POSTGRES: readonly string[] = ['postgres', 'scale'];

function readParts(names: readonly string[]): readonly PartName[] {
  const unknown = names.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new RangeError(`Reading a part: found ${unknown}, expected ${PARTS.join(', ')}.`);
  if (names.includes('peers') && installedClient() === undefined) {
    throw new Error(`The community client is not installed.\nnext step: ${INSTALL_CLIENT}`);
  }
  if (names.some((name) => OF_POSTGRES.includes(name)) && !HAS_POSTGRES) {
    throw new Error('PostgreSQL is not installed.\nnext step: apt-get install postgresql-15');
  }
  if (names.length > 0) return PARTS.filter((part) => names.includes(part));
  const left: readonly string[] = [
    ...(installedClient() === undefined ? (['peers'] as const) : []),
    ...(HAS_POSTGRES ? [] : OF_POSTGRES),
  ];
  return PARTS.filter((part) => !left.includes(part));
}

function readListed(text: string): AccountsSizes['listed'] {
  if (text === 'manager' || text === 'all') return text;
  throw new RangeError(`Reading --listed: found ${text}, expected manager or all.`);
}

function readProcesses(text = '1,2,4'): readonly number[] {
  return text.split(',').map((one) => readCount('--processes', one));
}

/** `memoryRows` is written `--memory-rows`. */
function optionOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function readCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RangeError(`Reading ${option}: found ${text}, expected a whole number.`);
  return Number(text);
}
