import type { DecisionFacts, IntentFacts, PlannedDecision } from '../../../src/domain/decision-facts.ts';
import { budgetId, type CustomerId, campaignId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
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

/** A change that a rule suggests, unless `facts` say otherwise. */
export function decision<Facts extends Partial<DecisionFacts>>(facts: Facts) {
  const suggested = {
    kind: 'would_change',
    origin: 'rule',
    rule: 'trim',
    ruleVersion: '1f2e3d4c5b6a',
    customerId: accountId(1),
    budgetId: budgetId('11'),
    campaignId: campaignId('21'),
    campaignName: 'Shoes',
    subject: 'Shoes (campaign 21)',
    currency: 'EUR',
    from: micros(60_000_000n),
    to: micros(51_000_000n),
    mode: 'propose',
    code: undefined,
    facts: undefined,
    reason: 'clicks (82) >= 30, 2026-11-13 to 2026-11-19; decrease budget by 15%: 60.00 EUR to 51.00 EUR',
    intent: undefined,
    proposal: undefined,
  } as const;
  return { ...suggested, ...facts };
}

/** A change that a guard refuses. */
export const refused = (facts: Partial<PlannedDecision> = {}): PlannedDecision =>
  decision({
    kind: 'refusal',
    from: undefined,
    to: undefined,
    mode: undefined,
    code: 'COOLDOWN',
    facts: { budgetId: '11', by: 'rule', day: '2026-11-18', cooldownDays: 3, until: '2026-11-21' },
    ...facts,
  });

/** The outcome of a change, which was made unless `facts` say otherwise. */
export function outcome(id: bigint, facts: Partial<IntentFacts> = {}): IntentFacts {
  return { id, state: 'applied', undoes: undefined, actor: 'rule trim', code: undefined, outcome: undefined, ...facts };
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
