import { statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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
const LONG_FIRST = [/test\/simulation\//, /test\/acceptance\/processes\//, /test\/acceptance\//];

/** Killed processes and whole simulated lives: `npm run test:thorough`, which CI runs, has them. */
const LEFT_TO_CI = ['test/acceptance/processes/{killed,schedule}*', 'test/simulation/faults/simulate-faults*'];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => LONG_FIRST.findIndex((name) => name.test(moduleId));
    const place = (file: TestSpecification) => (rank(file) < 0 ? LONG_FIRST.length : rank(file));
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    // Each of these needs something installed first: npm run test:counterparties, test:browser, test:nodes, test:stacks.
    exclude: [
      ...configDefaults.exclude,
      ...['counterparties', 'browser', 'nodes', 'stacks']
        .filter((kind) => kind !== mode)
        .map((kind) => `test/${kind}/**`),
      ...(mode === 'test' ? LEFT_TO_CI : []),
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than processors: many tests wait for a process of their own or for time to run out.
    maxWorkers: availableParallelism() + 1,
    // Fewer collections: worlds come and go by the thousand.
    execArgv: ['--max-semi-space-size=64'],
    // Loading all modules anew for each file took a third of the time. No test changes a module's state.
    isolate: false,
    sequence: { sequencer: LongFirst },
    env: { TMPDIR: process.env.TMPDIR ?? fastFolder() },
  },
}));
