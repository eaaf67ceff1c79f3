import { type CustomerId, customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { AccountResult, ReportResult, SliceResult } from '../../../src/language/results/report-result.ts';

/** The account of that number, and a name that goes with it. */
export function account(number: number): AccountResult {
  const facts = { currency: 'EUR', timeZone: 'Europe/Berlin', failure: undefined, leftOut: undefined };
  return { customerId: accountId(number), name: `Client ${number}`, ...facts };
}

export function accountId(number: number): CustomerId {
  return customerId(String(1_000_000_000 + number));
}

/** A slice of the account that brought 1,000 rows, unless `facts` say otherwise. */
export function slice(number: number, from: string, to: string, facts: Partial<SliceResult> = {}): SliceResult {
  const days = { from: civilDate(from), to: civilDate(to) };
  const good = { rows: 1000n, bytes: 1, notOffered: undefined, failure: undefined, left: undefined };
  return { query: 'keyword_stats', customerId: accountId(number), days, ...good, ...facts };
}

/** A run of which only `parts` are told. */
export function result(
  parts: Partial<Omit<ReportResult, 'run'>>,
  command: 'report' | 'extract' = 'extract',
): ReportResult {
  const exitCode = parts.failures?.length ? 1 : 0;
  return {
    run: {
      id: 7n,
      command,
      target: 'sandbox (seed 1)',
      mode: 'apply',
      dryRun: false,
      exitCode,
      startedAt: '2026-11-20T12:00:00Z',
      endedAt: '2026-11-20T12:00:02Z',
      operations: 0,
    },
    notes: [],
    accounts: [],
    slices: [],
    totals: [],
    rules: [],
    decisions: [],
    settled: [],
    messages: [],
    frozen: undefined,
    failures: [],
    ...parts,
  };
}
