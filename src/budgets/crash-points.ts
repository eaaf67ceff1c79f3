/** The commits of the send path, each with a place before it and one after it. */
const COMMITS = [
  /** New intents. */
  'plan',
  /** What reading the budgets has ended: confirmed, superseded, expired. */
  'check',
  /** What the validation has answered. */
  'validated',
  /** The whole batch, immediately before the change is sent. */
  'sending',
  /** What the change has answered, with the alerts. */
  'answer',
  /** An approved proposal and its intent. */
  'approve',
  /** A proposal that ends without an intent. */
  'decline',
  /** An undo's intent. */
  'undo',
] as const;

/** The requests of the send path. */
const SENDS = ['validate', 'mutate'] as const;

export type CommitName = (typeof COMMITS)[number];
export type SendName = (typeof SENDS)[number];

/** A place of the send path where a process may end. */
export type CrashPoint = `${CommitName}:${'before' | 'after'}-commit` | `${SendName}:${'before-send' | 'after-answer'}`;

/** Every edge of the send path: before and after each commit, each send and each answer. */
export const CRASH_POINTS: readonly CrashPoint[] = [
  ...COMMITS.flatMap((name) => [`${name}:before-commit`, `${name}:after-commit`] as const),
  ...SENDS.flatMap((name) => [`${name}:before-send`, `${name}:after-answer`] as const),
];

/** Told at each place that is passed. A test throws where it wants the process to end. */
export type CrashPoints = (point: CrashPoint) => void;

/** The product ends nowhere of its own accord. */
export const passesEverywhere: CrashPoints = () => undefined;
