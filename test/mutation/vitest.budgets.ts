import { defineConfig } from 'vitest/config';

/**
 * The tests of single parts of how budgets are changed, which are quick. Most of those that send changes to a service over the network judge
 * the same in `npm test`; what only they would notice here shall be noticed by a test of its own.
 */
export default defineConfig({
  test: {
    include: [
      'test/budgets/{conclude,plan-intents,batches,replay-events,check-intents,send-operations,prove-silent-ones}.test.ts',
      'test/budgets/{describe-change,kill-switch,verify-chain,verify-audit,read-budgets,who-may-resend}.test.ts',
      'test/budgets/{carry-out,decide-proposals,take-back,token-on-the-way}.test.ts',
    ],
    testTimeout: 60_000,
    isolate: false,
  },
});
