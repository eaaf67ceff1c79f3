import { defineConfig } from 'vitest/config';
import { part } from './stryker.ts';

export default defineConfig({
  test: {
    include: [...part.tests],
    globalSetup: part.globalSetup ?? [],
    setupFiles: 'test/mutation/no-shrinking.ts',
    testTimeout: 60_000,
    isolate: false,
  },
});
