/** The commits of a delivery, each with a place before it and one after it. */
const COMMITS = [
  /** Leases of processes that have ended. */
  'expire',
  /** What looking for a message has told. */
  'looked-up',
  /** What did not arrive goes on to the next channel. */
  'escalate',
  /** What waits becomes one message per recipient. */
  'bundle',
  /** The lease, immediately before the request. */
  'claim',
  /** What the request came to. */
  'outcome',
] as const;

/** The requests of a delivery. */
const REQUESTS = ['look-up', 'send'] as const;

export type DeliveryCommit = (typeof COMMITS)[number];
export type DeliveryRequest = (typeof REQUESTS)[number];

/** A place of a delivery where a process may end. */
export type DeliveryPoint =
  | `${DeliveryCommit}:${'before' | 'after'}-commit`
  | `${DeliveryRequest}:${'before-send' | 'after-answer'}`;

/** Every edge of a delivery: before and after each commit, each request and each answer. */
export const DELIVERY_POINTS: readonly DeliveryPoint[] = [
  ...COMMITS.flatMap((name) => [`${name}:before-commit`, `${name}:after-commit`] as const),
  ...REQUESTS.flatMap((name) => [`${name}:before-send`, `${name}:after-answer`] as const),
];

/** Told at each place that is passed. A test throws where it wants the process to end. */
export type DeliveryPoints = (point: DeliveryPoint) => void;
