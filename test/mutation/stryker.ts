interface Part {
  /** The files that are changed. */
  readonly mutate: readonly string[];
  /** Tests that are quick: each runs for every change of a line that it reaches. */
  readonly tests: readonly string[];
  /** For tests on PostgreSQL, which then share one server. */
  readonly globalSetup?: string;
  /** Kinds of changes that are left out. */
  readonly excludedMutations?: readonly string[];
  /** The percentage of changes that a test must notice. */
  readonly break: number;
}

const PARTS: Readonly<Record<string, Part>> = {
  // Without the properties, which take six times as long as all of these. What they notice shall be noticed by a row of its own.
  rules: {
    mutate: ['src/domain/{micros,rational}.ts', 'src/language/rules/decide/{guard,decide-changes,account-totals}.ts'],
    tests: ['test/domain/{micros,rational}.test.ts', 'test/rules/decide/!(properties).test.ts'],
    break: 90,
  },
  // Without most tests that send changes over the network. What only they would notice shall be noticed by a test of its own.
  budgets: {
    mutate: [
      'src/engine/budgets/{carry-out,check-intents,describe-change,kill-switch,personal-change}.ts',
      'src/engine/budgets/{read-budgets,replay-events,verify-audit}.ts',
    ],
    tests: [
      'test/budgets/{conclude,plan-intents,batches,replay-events,check-intents,send-operations,prove-silent-ones}.test.ts',
      'test/budgets/{describe-change,kill-switch,verify-chain,verify-audit,read-budgets,who-may-resend}.test.ts',
      'test/budgets/{carry-out,decide-proposals,take-back,token-on-the-way}.test.ts',
    ],
    excludedMutations: ['StringLiteral'],
    break: 90,
  },
  // On SQLite. A changed text is mostly a wrong name of a column, which any statement refuses.
  storage: {
    mutate: [
      'src/storage/records/budgets/{intent-table,event-table,audit-chain,record-head,freeze-record}.ts',
      'src/storage/records/alerts/{outbox-table,message-table,message-outcome}.ts',
    ],
    tests: [
      'test/store/{budgets,alerts}/*.test.ts',
      'test/budgets/{verify-chain,check-intents,plan-intents}.test.ts',
      'test/alerts/{readdressing,lost-alerts,escalation}.test.ts',
    ],
    excludedMutations: ['StringLiteral'],
    break: 80,
  },
  queue: {
    mutate: ['src/engine/queue/*.ts'],
    tests: ['test/queue/*.test.ts'],
    globalSetup: 'test/support/postgres-setup.ts',
    excludedMutations: ['StringLiteral'],
    break: 96,
  },
  // Without the limits of memory, which take a minute each while Stryker counts what they reach.
  scanner: {
    mutate: ['src/services/http/batch-scanner.ts'],
    tests: ['test/http/batch-scanner.test.ts'],
    break: 80,
  },
  channels: {
    mutate: ['src/channels/**/*.ts', 'src/alerts/*.ts'],
    tests: ['test/{channels,apis/graph,apis/messages,alerts}/*.test.ts'],
    excludedMutations: ['StringLiteral'],
    break: 80,
  },
};

const { PART: name = '' } = process.env;
const found = PARTS[name];
if (found === undefined) throw new Error(`PART is "${name}", expected one of ${Object.keys(PARTS).join(', ')}`);

export const part: Part = found;

export default {
  mutate: part.mutate,
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.parts.ts', related: false },
  mutator: { excludedMutations: part.excludedMutations ?? [] },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['/dist', '!/dist/main.js', '/data', '/docs', '/bench'],
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `dist/mutation/${name}.json` },
  allowConsoleColors: false,
  thresholds: { high: 100, low: 100, break: part.break },
};
