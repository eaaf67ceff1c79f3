import fc from 'fast-check';
import { CRASH_POINTS, type CrashPoint } from '../../../src/engine/budgets/budget-deps.ts';
import type { Mode } from '../../../src/language/rules/rule.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../../src/sandbox/read-request.ts';
import { keenRule, type RuleSpec, ruleSpec } from './rule-specs.ts';

/** Which requests of a job a fault is about. */
export const PLACES = ['list', 'budgets', 'validation', 'change'] as const;
export type Place = (typeof PLACES)[number];

export function placeOf({ kind, query = '', validateOnly }: SandboxRequest): Place {
  if (kind === 'mutate') return validateOnly ? 'validation' : 'change';
  return /FROM campaign\b/.test(query) ? 'budgets' : 'list';
}

/** What goes wrong while a job runs. */
export interface Trouble {
  /** The fault at the request of that number at the place, and at the `more` that follow it. */
  readonly fault:
    | { readonly at: Place; readonly nth: number; readonly more: number; readonly fault: Fault }
    | undefined;
  /** The process ends where the point is passed for that time. */
  readonly crash: { readonly point: CrashPoint; readonly nth: number } | undefined;
  /** What someone does when the request of that number arrives, before it is answered. */
  readonly surprise: { readonly nth: number; readonly what: 'freeze' | 'foreign'; readonly pick: number } | undefined;
}

export const NO_TROUBLE: Trouble = { fault: undefined, crash: undefined, surprise: undefined };

/** What someone sets a budget to: another amount, a low or a high one, what it was, or what we wanted. */
export type ByHand = 'other' | 'low' | 'high' | 'old' | 'target';

/** What happens in a history. A `pick` chooses among what there is by then, whatever its number. */
export type Step =
  | { readonly kind: 'report'; readonly mode: Mode; readonly rules: readonly RuleSpec[]; readonly trouble: Trouble }
  | { readonly kind: 'reconcile'; readonly trouble: Trouble }
  | { readonly kind: 'approve' | 'undo'; readonly pick: number; readonly trouble: Trouble }
  | { readonly kind: 'reject' | 'remove'; readonly pick: number }
  | { readonly kind: 'foreign'; readonly pick: number; readonly to: ByHand }
  | { readonly kind: 'freeze'; readonly how: 'record' | 'file' }
  | { readonly kind: 'unfreeze' }
  | { readonly kind: 'wait'; readonly minutes: number }
  /** To the account's next midnight, and minutes before or after it. */
  | { readonly kind: 'midnight'; readonly minutes: number };

/** Where and when a history happens. */
export interface History {
  readonly start: string;
  /** Of the first account; the service says so. */
  readonly timeZone: string;
  readonly accounts: 1 | 2;
  readonly changesPerRun: number;
  readonly firstDelayMs: number;
  readonly steps: readonly Step[];
}

const status = (code: number): Fault => ({ kind: 'status', status: code });
const refused: Fault = {
  kind: 'refuse_operations',
  indexes: [0],
  errorCode: { databaseError: 'CONCURRENT_MODIFICATION' },
};

/** Answers that are wrong, late, missing or unwelcome. None of them hangs: waiting is tested elsewhere. */
const FAULTS: readonly Fault[] = [
  { kind: 'reset_before' },
  { kind: 'reset_after' },
  { kind: 'html' },
  ...[400, 403, 429, 500, 503].map(status),
  // The first of each pair is a lie about a change that was made, the second one about a change that was not.
  ...['{}', '{"results":[]}', '{"results":[{"resourceName":"customers/1/campaignBudgets/2"}]}'].flatMap(
    (body): Fault[] => [
      { kind: 'replace', body },
      { kind: 'status', status: 200, body },
    ],
  ),
  { kind: 'replace', body: '{"error":{"code":503,"status":"UNAVAILABLE","message":"Later."}}' },
  { kind: 'cut', afterBytes: 1 },
  { kind: 'truncate', afterBytes: 1 },
  { kind: 'truncate', afterBytes: 0 },
  refused,
];

/** A list that is answered with nothing would be a service without budgets, which is no fault. */
const READ_FAULTS: readonly Fault[] = [
  { kind: 'reset_before' },
  { kind: 'reset_after' },
  { kind: 'html' },
  ...[403, 404, 429, 500, 503].map(status),
  { kind: 'cut', afterBytes: 40 },
  { kind: 'error_element', afterBatches: 0 },
];

const faultAt = fc
  .oneof(
    { weight: 1, arbitrary: fc.constantFrom<Place>('list', 'budgets', 'validation') },
    {
      weight: 2,
      arbitrary: fc.constant<Place>('change'),
    },
  )
  .chain((at) =>
    fc.record({
      at: fc.constant(at),
      nth: fc.constantFrom(0, 0, 0, 1),
      more: fc.constantFrom(0, 0, 1, 9),
      fault: fc.constantFrom(...(at === 'list' || at === 'budgets' ? READ_FAULTS : FAULTS)),
    }),
  );

const crashAt = (...points: readonly CrashPoint[]) =>
  fc.record({ point: fc.constantFrom(...points), nth: fc.constantFrom(0, 0, 0, 1) });

const surprise = fc.record({
  nth: fc.integer({ min: 0, max: 8 }),
  what: fc.constantFrom('freeze' as const, 'foreign' as const),
  pick: fc.nat(20),
});

const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>, percent: number): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 100 - percent, arbitrary: fc.constant(undefined) }, { weight: percent, arbitrary });

/** `points` are those that the job is most likely to pass. */
const troubleOf = (...points: readonly CrashPoint[]): fc.Arbitrary<Trouble> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(NO_TROUBLE) },
    {
      weight: 3,
      arbitrary: fc.record({
        fault: sometimes(faultAt, 70),
        crash: sometimes(fc.oneof(crashAt(...points), crashAt(...CRASH_POINTS)), 50),
        surprise: sometimes(surprise, 20),
      }),
    },
  );

const pick = fc.nat(20);

const modes = fc.constantFrom<Mode>('apply', 'apply', 'apply', 'apply', 'approve', 'propose');
const rules = fc.array(ruleSpec, { minLength: 1, maxLength: 3 });
const kindOf = <Kind extends Step['kind']>(kind: Kind) => fc.constant(kind);

const trouble = troubleOf(...CRASH_POINTS);
const report = fc.record({ kind: kindOf('report'), mode: modes, rules, trouble });
const reconcile = fc.record({
  kind: kindOf('reconcile'),
  trouble: troubleOf('check:before-commit', 'check:after-commit'),
});
const approve = fc.record({
  kind: kindOf('approve'),
  pick,
  trouble: troubleOf('approve:before-commit', 'approve:after-commit'),
});
const undo = fc.record({
  kind: kindOf('undo'),
  pick,
  trouble: troubleOf('undo:before-commit', 'undo:after-commit'),
});
const foreign = fc.record({
  kind: kindOf('foreign'),
  pick,
  to: fc.constantFrom<ByHand>('other', 'other', 'low', 'high', 'old', 'target'),
});
const midnight = fc.record({ kind: kindOf('midnight'), minutes: fc.constantFrom(-1, 0, 1, 185) });
const wait = fc.record({
  kind: kindOf('wait'),
  minutes: fc.oneof(
    fc.integer({ min: 1, max: 180 }),
    fc.integer({ min: 1, max: 4 }).map((days) => days * 24 * 60),
  ),
});
const freeze = fc.record({ kind: kindOf('freeze'), how: fc.constantFrom('record' as const, 'file' as const) });
const unfreeze = fc.constant<Step>({ kind: 'unfreeze' });

/** A report that most likely changes something, or wants to. */
const keenReport = (mode: Mode, own: fc.Arbitrary<Trouble> = trouble): fc.Arbitrary<Step> =>
  fc.record({
    kind: kindOf('report'),
    mode: fc.constant(mode),
    rules: fc.array(keenRule, { minLength: 1, maxLength: 2 }),
    trouble: own,
  });

const faulty = (at: Place, faults: readonly Fault[]): fc.Arbitrary<Trouble> =>
  fc
    .record({ fault: fc.constantFrom(...faults), more: fc.constantFrom(0, 1) })
    .map(({ fault, more }) => ({ ...NO_TROUBLE, fault: { at, nth: 0, more, fault } }));

/** A change without an answer, and the next day a run that cannot read the budgets when it looks for what became of it. */
const lost = fc.tuple(
  keenReport('apply', faulty('change', FAULTS)),
  midnight,
  keenReport('apply', faulty('budgets', READ_FAULTS)),
);

/** What belongs together, so that people find something to act on and what is lost is looked for. */
const steps: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(report) },
  { weight: 3, arbitrary: fc.tuple(keenReport('apply')) },
  { weight: 3, arbitrary: fc.tuple(keenReport('apply'), undo) },
  { weight: 3, arbitrary: fc.tuple(keenReport('approve'), approve) },
  { weight: 3, arbitrary: fc.tuple(keenReport('apply'), fc.oneof(foreign, midnight), fc.oneof(reconcile, report)) },
  { weight: 1, arbitrary: fc.tuple(keenReport('apply'), freeze, fc.oneof(reconcile, undo, report), unfreeze) },
  { weight: 3, arbitrary: fc.tuple(fc.oneof(wait, midnight), fc.oneof(keenReport('apply'), report)) },
  { weight: 1, arbitrary: lost },
  { weight: 2, arbitrary: fc.tuple(foreign) },
  { weight: 1, arbitrary: fc.tuple(fc.oneof(undo, approve, wait)) },
  { weight: 1, arbitrary: fc.tuple(fc.record({ kind: fc.constantFrom('reject' as const, 'remove' as const), pick })) },
  { weight: 1, arbitrary: fc.tuple(freeze) },
  { weight: 3, arbitrary: fc.tuple(unfreeze) },
);

/** Before nights on which clocks change, ends of a month and of a year, a leap day, and none of these. */
export const STARTS = [
  '2026-11-20T12:00:00Z',
  '2026-03-28T13:00:00Z',
  '2026-10-24T18:00:00Z',
  '2026-12-30T21:00:00Z',
  '2028-02-28T09:00:00Z',
] as const;

export const ZONES = ['Europe/Berlin', 'Pacific/Kiritimati', 'Etc/GMT+12', 'America/Los_Angeles'] as const;

export function history(groupsMax: number): fc.Arbitrary<History> {
  return fc.record({
    start: fc.constantFrom(...STARTS),
    timeZone: fc.constantFrom(...ZONES),
    accounts: fc.constantFrom(1 as const, 1 as const, 2 as const),
    changesPerRun: fc.constantFrom(100, 100, 1),
    firstDelayMs: fc.constantFrom(0, 3000),
    steps: fc.array(steps, { minLength: 2, maxLength: groupsMax, size: 'max' }).map((groups) => groups.flat()),
  });
}
