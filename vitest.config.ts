import { existsSync, globSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

const MEMORY = '/dev/shm';
const ROOM_MIN_BYTES = 2 ** 30;

/**
 * In memory if there is room, because waiting for a disk took a quarter of the time. TMPDIR overrides it. A killed process
 * loses nothing either way, and no test can see what a disk keeps after a power failure.
 */
function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize < ROOM_MIN_BYTES ? tmpdir() : MEMORY;
  } catch {
    return tmpdir();
  }
}

/** Whole histories and walks first, by folder: a long file that begins last keeps one processor waiting for the other. */
const LONG_FIRST = [
  /test\/browser\/(?:status-page|plans|explore)/,
  /killed-recovery/,
  /test\/simulation\//,
  /killed-at-every-commit/,
  /test\/golden\//,
  /test\/acceptance\/processes\//,
  /test\/acceptance\//,
];

/** The whole runs that `npm test` has. */
const WALKS = /\/(budget-contract|secrets|walk-of-a-budget-change|walk-of-a-row)\.test\.ts$/;

/** Simulated lives, killed processes, and most whole runs: `npm run test:thorough`, which CI runs, has them. */
const LEFT_TO_CI = [
  ...globSync('test/acceptance/**/*.test.ts').filter((file) => !WALKS.test(file)),
  'test/simulation/**/*.test.ts',
  'test/commands/{complete-until,forecast,frozen-first,numbers-as-of}.test.ts',
  'test/commands/{migrate-store/migrate-store,serve/serve-postgres,doctor/doctor-postgres}.test.ts',
  'test/docs/scale-out-statements.test.ts',
  'test/{pipeline/{follow-run,shared-run,troubled-database},queue/workers-standing}.test.ts',
  'test/schedule/{schedule-postgres,week}.test.ts',
  'test/store/postgres/{bad-server,open-records,restored-dump,upgrade-tables}.test.ts',
  'test/store/runs/forget-records.test.ts',
  'test/warehouse/postgres/explore-database.test.ts',
  'test/commands/backup/*.test.ts',
  'test/commands/catalogue/agrees-with-sandbox.test.ts',
  'test/commands/init/ready-queries.test.ts',
  'test/commands/pacing/pacing.test.ts',
  'test/commands/publish/publish-postgres.test.ts',
  'test/commands/serve/explore-child-source.test.ts',
  'test/docs/{bi-questions,pull-request,shell-blocks}.test.ts',
  'test/pages/status/filtered-pages.test.ts',
  'test/pages/status/many-accounts.test.ts',
  'test/simulate/*.test.ts',
  'test/warehouse/sqlite/renew-file.test.ts',
  'test/pipeline/{many-accounts,evaluate/missing-days}.test.ts',
  'test/sandbox/market/seeded-market.test.ts',
  'test/security/{files,processes,slow-texts}.test.ts',
];

/** Files that the command line names, as in `vitest run carry-out`, run whole, whatever runs them otherwise. */
const TESTS = globSync('test/**/*.test.ts', { exclude: (name) => name === 'node_modules' });
const COMMANDS = ['run', 'watch', 'list', 'related'];
const WITH_VALUE = ['--project', '--mode', '--reporter', '--testNamePattern', '-t'];
const isNamed = process.argv.slice(2).some((argument, index, all) => {
  const isOfOption = argument.startsWith('-') || WITH_VALUE.includes(all[index - 1] ?? '');
  if (isOfOption || COMMANDS.includes(argument)) return false;
  return TESTS.some((file) => file.includes(argument.replace(/:\d+$/, '')));
});

/** The tests and rows of tables that `npm test` leaves out. What only repeats more is for `npm run test:long`. */
function thoroughTests(): string[] {
  const left = TESTS.filter((file) => /\bsample[<(]|\bisThorough\b/.test(readFileSync(file, 'utf8')));
  return [...LEFT_TO_CI, ...left, 'test/{pipeline,warehouse/postgres}/both-engines.test.ts'];
}

const SLOW_MS = 5_000;

/** A whole run prints a dot for each test, failures in full, and at the end the tests that took long. */
class SlowTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const slow = modules
      .flatMap((module) => [...module.children.allTests()])
      .map((test) => ({ test, ms: test.diagnostic()?.duration ?? 0 }))
      .filter(({ ms }) => ms >= SLOW_MS)
      .sort((one, other) => other.ms - one.ms);
    for (const { test, ms } of slow) {
      const place = `${test.project.name} ${test.module.relativeModuleId}`;
      process.stdout.write(`${(ms / 1000).toFixed(1).padStart(6)} s  ${place} > ${test.fullName}\n`);
    }
  }
}

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => LONG_FIRST.findIndex((name) => name.test(moduleId));
    const place = (file: TestSpecification) => (rank(file) < 0 ? LONG_FIRST.length : rank(file));
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

/** These are about files, or use no store, or run on both engines by themselves. */
const ON_FILES = new RegExp(
  [
    'figures|acceptance/compare', // the published file, with SQL of its own
    'warehouse-anew', // a damaged state file, and the published file read back
    'coverage-command', // rows that are written into a state file
    'unusable-files', // full and read-only disks
    'command-line', // the files of a data folder
    'killed-recovery', // backups
    'killed-(?:at-every-commit|move)', // both engines
    'old-node|schedule-process|check-command|faults-asked-for', // no store
  ].join('|'),
);

/**
 * These take the engine as a parameter (`byEngine`): they run once more, on PostgreSQL, where a server is installed.
 * `npm test` takes the first of them.
 */
const ON_BOTH_ENGINES = {
  quick: ['test/store/{budgets/{freeze-record,past-changes,proposal-table},alerts/{alert,condition}-table}.test.ts'],
  thorough: [
    'test/store/{alerts,budgets,runs}/*.test.ts',
    'test/{budgets/crash-points,pipeline/follow-run,pipeline/shared-run}.test.ts',
    'test/simulation/faults/simulate-faults.test.ts',
    'test/acceptance/budgets/{approval-by-message,audit,walk-of-a-budget-change,who-decided}.test.ts',
    'test/acceptance/{alerts/{forget,told-conditions},dashboard/acts,processes/killed-process}.test.ts',
    'test/acceptance/reading/{model-limits,wait-for-run,walk-of-a-row,warehouse-command}.test.ts',
  ],
  // In CI, the week is on files, and schedule-postgres has what a database adds.
  long: [
    'test/schedule/week.test.ts',
    'test/{budgets,alerts}/*.test.ts',
    ...globSync('test/acceptance/**/*.test.ts').filter((file) => !ON_FILES.test(file)),
  ],
};

const POSTGRES = join(process.env.PACEKEEPER_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin', 'postgres');

function onBothEngines(mode: string): string[] {
  const { quick, thorough, long } = ON_BOTH_ENGINES;
  if (!existsSync(POSTGRES)) return [];
  if (mode === 'test') return isNamed ? [...thorough, ...long] : quick;
  if (mode === 'long') return [...thorough, ...long];
  return mode === 'thorough' ? thorough : [];
}

export default defineConfig(({ mode }) => ({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: mode === 'thorough' && !isNamed ? thoroughTests() : ['test/**/*.test.ts'],
          // Each of these needs something installed first: npm run test:counterparties, test:browser, test:nodes, test:stacks.
          exclude: [
            ...configDefaults.exclude,
            ...['counterparties', 'browser', 'nodes', 'stacks']
              .filter((kind) => kind !== mode && !process.argv.some((argument) => argument.includes(`test/${kind}`)))
              .map((kind) => `test/${kind}/**`),
            ...(mode === 'test' && !isNamed ? LEFT_TO_CI : []),
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: onBothEngines(mode),
          globalSetup: 'test/support/postgres-setup.ts',
        },
      },
    ],
    // For what hangs. A machine that does other work needs minutes for what takes seconds on an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A busy machine needs longer than vitest's second.
    expect: { poll: { timeout: 30_000 } },
    // One more than processors: many tests wait for a process of their own or for time to run out.
    maxWorkers: availableParallelism() + 1,
    // Fewer collections: worlds come and go by the thousand.
    execArgv: ['--max-semi-space-size=64'],
    // Loading all modules anew for each file took a third of the time. No test changes a module's state.
    isolate: false,
    reporters: isNamed || process.argv.includes('--changed') ? ['default'] : ['dot', new SlowTests()],
    sequence: { sequencer: LongFirst },
    env: { TMPDIR: process.env.TMPDIR ?? fastFolder() },
  },
}));
