import { configDefaults, defineConfig } from 'vitest/config';

/**
 * The tests that judge the arithmetic of money and the guards, pure ones alone. Without the properties,
 * which take six times as long as all of these: what they notice shall be noticed by a row of its own.
 */
export default defineConfig({
  test: {
    include: ['test/domain/{micros,rational}.test.ts', 'test/rules/decide/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/rules/decide/properties.test.ts'],
    isolate: false,
  },
});
