import { DELIVERY_POINTS } from '../../../src/alerts/delivery-pass.ts';
import { CRASH_POINTS } from '../../../src/budgets/budget-deps.ts';

/** Where a process of a story can be ended. */
export const KILL_POINTS: readonly string[] = [
  ...CRASH_POINTS,
  ...DELIVERY_POINTS,
  ...['commit', 'rename'].flatMap((what) => [`${what}:before`, `${what}:after`]),
  ...['send', 'arrival', 'answer'].map((what) => `network:${what}`),
];
