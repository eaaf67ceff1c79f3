import fc from 'fast-check';
import { DELIVERY_POINTS, type DeliveryPoint } from '../../src/alerts/delivery-pass.ts';
import type { AlertSeverity } from '../../src/domain/channel.ts';
import { ASK_FAULTS, type AskFault, SEND_FAULTS, type SendFault } from './alert-provider.ts';

/** Where one process ends, and the how manieth time it passes there. */
export interface AlertCrash {
  readonly point: DeliveryPoint;
  readonly nth: number;
}

/** Something that happens to alerts. */
export type AlertStep =
  /** An event; `again` enqueues it a second time. */
  | { readonly kind: 'event'; readonly severity: AlertSeverity; readonly again: boolean }
  /** One delivery, or two processes at once; each may end somewhere. */
  | {
      readonly kind: 'deliver';
      readonly crashes: readonly (AlertCrash | undefined)[];
      readonly sendFaults: readonly SendFault[];
      readonly askFaults: readonly AskFault[];
    }
  | { readonly kind: 'wait'; readonly minutes: number }
  /** What was late is processed. */
  | { readonly kind: 'catch_up' }
  /** The provider says something of a message, or says again what it has said. */
  | { readonly kind: 'report'; readonly pick: number; readonly word: 'sent' | 'end' | 'again' };

/** Those that are passed rarely stand there more than once. */
const POINTS: readonly DeliveryPoint[] = [
  ...DELIVERY_POINTS,
  ...(['escalate:before-commit', 'escalate:after-commit', 'escalate:after-commit', 'looked-up:before-commit'] as const),
];

const crash: fc.Arbitrary<AlertCrash | undefined> = fc.option(
  fc.record({ point: fc.constantFrom(...POINTS), nth: fc.constantFrom(1, 1, 2, 3) }),
  { nil: undefined, freq: 2 },
);

const step: fc.Arbitrary<AlertStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
      again: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('deliver' as const),
      crashes: fc.array(crash, { minLength: 1, maxLength: 2 }),
      sendFaults: fc.array(fc.constantFrom(...SEND_FAULTS), { maxLength: 6 }),
      askFaults: fc.array(fc.constantFrom(...ASK_FAULTS), { maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.constantFrom(1, 6, 31, 400) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('catch_up' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      pick: fc.nat(50),
      word: fc.constantFrom('sent' as const, 'end' as const, 'again' as const),
    }),
  },
);

export const alertHistory = (stepsMax: number): fc.Arbitrary<readonly AlertStep[]> =>
  fc.array(step, { minLength: 3, maxLength: stepsMax });
