import { type CivilDate, daysOf } from '../../../src/domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { RecordedDecision } from '../../../src/storage/records/budgets/decision-table.ts';
import type { AccountFacts, DayFacts, ReportFacts } from '../../../src/views/report/report-facts.ts';

/** A report of which nothing is known yet. */
export const NOTHING: ReportFacts = {
  mode: 'apply',
  frozen: undefined,
  asOf: undefined,
  writtenAt: '2026-11-21T05:30:00Z',
  target: undefined,
  lastRun: undefined,
  decidingRun: undefined,
  notes: [],
  table: undefined,
  accounts: [],
  accountsLeftOut: 0,
  decisions: [],
  nearest: undefined,
  budgetTables: { budgets: [], campaigns: [] },
  lastDecisions: [],
  runsWithoutRefusals: 0,
  changes: [],
  changesLeftOut: 0,
  foreign: [],
  needs: [],
  needsElsewhere: 0,
  runs: [],
  coverage: [],
  alerts: [],
};

/** Complete days up to `to`, each costing what `costOf` says in units of the currency. */
export function settledDays(from: string, to: string, costOf: (date: CivilDate, index: number) => number): DayFacts[] {
  return daysOf({ from: civilDate(from), to: civilDate(to) }).map((date, index) => ({
    date,
    state: 'settled',
    clicks: 10n,
    costMicros: BigInt(Math.round(costOf(date, index) * 1e6)),
  }));
}

/** Names that somebody chose with care. */
export const HOSTILE = [
  '<script>alert(1)</script>',
  '</svg><img src=x onerror=alert(1)>',
  `"quoted' & \`ticked\``,
  'right to left \u202e evil \u05e9\u05dc\u05d5\u05dd',
] as const;

export function account(change: Partial<AccountFacts> = {}): AccountFacts {
  const days = settledDays('2026-10-01', '2026-11-20', (_, index) => 10 + (index % 7));
  return {
    customerId: customerId('4081725530'),
    name: HOSTILE[0],
    currency: 'EUR',
    timeZone: 'Europe/Berlin',
    days,
    lastRead: { at: '2026-11-21T05:00:00Z', failure: undefined },
    oldBudgets: [],
    budget: { dailyMicros: 20_000_000n, source: 'the settings', count: 2 },
    campaigns: HOSTILE.map((name, index) => ({
      campaignId: String(index + 1),
      name,
      budget: undefined,
      days: new Map(
        days.slice(index * 10).map((day) => [day.date, { ...day, costMicros: day.costMicros && day.costMicros / 3n }]),
      ),
    })),
    ...change,
  };
}

/** A change that was made. */
const DECISION: RecordedDecision = {
  eventId: 1n,
  kind: 'change',
  origin: 'rule',
  runId: 7n,
  at: '2026-11-21T05:30:00Z',
  customerId: customerId('4081725530'),
  accountName: HOSTILE[0],
  budgetId: budgetId('301'),
  campaignId: campaignId('21'),
  campaignName: HOSTILE[1],
  subject: undefined,
  accountDay: civilDate('2026-11-10'),
  rule: 'trim',
  ruleVersion: '1f2e3d4c5b6a',
  mode: undefined,
  currency: 'EUR',
  from: micros(60_000_000n),
  to: micros(51_000_000n),
  code: undefined,
  facts: undefined,
  reason: `clicks < 5 AND name = ${HOSTILE[2]}`,
  intent: { id: 1n, state: 'applied', undoes: undefined, actor: 'rule trim', code: undefined, outcome: HOSTILE[0] },
  proposal: undefined,
};
const UNDO = { id: 2n, state: 'applied', undoes: 1n, actor: HOSTILE[0], code: undefined, outcome: undefined } as const;
const OPEN = {
  code: 'K7QX',
  state: 'open',
  decidedBy: undefined,
  accountDay: civilDate('2026-11-21'),
  createdAt: '2026-11-21T05:30:00Z',
  expiresAt: '2026-11-21T17:30:00Z',
  timeZone: 'Europe/Berlin',
} as const;
const REFUSED = {
  code: 'COOLDOWN',
  facts: { budgetId: HOSTILE[0], by: 'rule', day: '2026-11-19', cooldownDays: 3, until: '2026-11-22' },
  intent: undefined,
} as const;
/** Of the newest run. */
const LAST: readonly RecordedDecision[] = [
  DECISION,
  { ...DECISION, kind: 'proposal', intent: undefined, proposal: OPEN },
  { ...DECISION, kind: 'refusal', ...REFUSED },
  { ...DECISION, kind: 'would_change', intent: undefined, mode: 'propose' },
];

const LAST_RUN = {
  id: 7n,
  command: 'report',
  target: 'sandbox',
  targetKind: 'sandbox',
  mode: 'apply',
  dryRun: false,
  state: 'failed',
  startedAt: '2026-11-21T05:29:00Z',
  endedAt: '2026-11-21T05:30:00Z',
  accounts: 1n,
  rowsRead: 1n,
  budgetChanges: 1n,
  messagesSent: 1n,
  operations: 1n,
} as const;

/** A report of a busy day, every text in it hostile. */
export const BUSY: ReportFacts = {
  ...NOTHING,
  asOf: '2026-11-21T05:30:00Z',
  target: `live (${HOSTILE[2]})`,
  table: 'keyword_stats',
  decidingRun: 7n,
  lastRun: { ...LAST_RUN, failures: [HOSTILE[0]] },
  notes: [HOSTILE[1]],
  accounts: [
    account(),
    account({ customerId: customerId('9264813507'), name: '東京', currency: 'JPY', campaigns: undefined }),
    account({
      customerId: customerId('5'),
      name: undefined,
      currency: undefined,
      timeZone: undefined,
      budget: undefined,
      days: [],
    }),
  ],
  accountsLeftOut: 3,
  lastDecisions: LAST,
  decisions: [
    ...LAST,
    { ...DECISION, runId: 6n, from: undefined, to: undefined },
    { ...DECISION, runId: 6n, origin: 'undo', intent: UNDO },
  ],
  needs: [
    {
      kind: 'approval',
      words: `${HOSTILE[1]}: 60.00 to 51.00 EUR awaits approval, rule trim.`,
      step: 'Run pacekeeper budgets approve K7QX.',
      path: '/inbox#proposal-K7QX',
      way: 'Approve or reject',
    },
  ],
  needsElsewhere: 0,
  runs: [{ ...LAST_RUN, error: HOSTILE[0], failures: 1n }],
  targets: {
    runId: 7n,
    at: '2026-11-21T05:29:00Z',
    rows: [
      {
        subject: HOSTILE[1],
        accountName: HOSTILE[0],
        rule: HOSTILE[2],
        currency: 'EUR',
        state: 'low',
        customerId: customerId('4081725530'),
        target: 3_000_000_000n,
        spent: 1_423_100_000n,
        idealToDate: 1_900_000_000n,
        projected: undefined,
        budget: 75_000_000n,
        covers: [],
        shouldBe: 90_000_000n,
        dateFrom: undefined,
        dateTo: undefined,
        unsettled: undefined,
        mode: undefined,
        members: [],
        rates: [],
        reason: undefined,
      },
    ],
  },
  runsWithoutRefusals: 2,
  changes: [
    {
      ...DECISION,
      before: { days: 7, costMicros: 70_000_000n, clicks: 70n },
      after: { days: 2, costMicros: 15_000_000n, clicks: 0n },
    },
    { ...DECISION, accountDay: civilDate('2026-11-20'), before: undefined, after: undefined },
  ],
  foreign: [
    {
      seenAt: '2026-11-20T05:30:00Z',
      accountDay: civilDate('2026-11-20'),
      customerId: customerId('4081725530'),
      accountName: HOSTILE[0],
      budgetId: budgetId('301'),
      campaignName: HOSTILE[1],
      currency: 'EUR',
      expected: micros(51_000_000n),
      found: micros(80_000_000n),
      intentId: undefined,
      eventId: 9n,
    },
  ],
  coverage: [
    {
      query: 'keyword_stats',
      customerId: customerId('4081725530'),
      name: HOSTILE[3],
      days: [
        { from: civilDate('2026-10-01'), to: civilDate('2026-10-04'), state: 'settled' },
        { from: civilDate('2026-10-05'), to: civilDate('2026-10-07'), state: 'missing' },
        { from: civilDate('2026-10-08'), to: civilDate('2026-10-08'), state: 'provisional' },
      ],
      completeUntil: undefined,
      lastReadDay: undefined,
      lastRead: { at: '2026-11-21T05:00:00Z', failure: undefined },
      restated: { days: 2n, lagDays: 4n },
    },
  ],
  alerts: [
    {
      alert: '1 1',
      at: '2026-11-21T05:30:00Z',
      severity: 'info',
      channel: 'messages',
      recipient: 'whatsapp:+15…02',
      state: 'failed',
      text: HOSTILE[0],
    },
  ],
};
