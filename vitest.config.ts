import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    // What the programs of others say needs them installed: npm run test:counterparties.
    // And a browser is not on every machine: npm run test:browser.
    exclude: [
      ...configDefaults.exclude,
      ...['counterparties', 'browser'].filter((kind) => kind !== mode).map((kind) => `test/${kind}/**`),
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: '100%',
    // Loading all modules anew for each file took a third of the time. No test changes a module's state.
    isolate: false,
  },
}));
