import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CRASH_POINTS } from '../../src/budgets/crash-points.ts';
import { EVENT_KINDS } from '../../src/store/schema.ts';
import { byEffort, isLong } from '../support/effort.ts';
import { liveThrough } from './live-history.ts';
import { type SharedService, startService } from './service.ts';
import { history } from './steps.ts';

const { PACEKEEPER_SEED, PACEKEEPER_PATH } = process.env;
const numRuns = byEffort({ quick: 60, thorough: 300, long: 10_000 });
/** Always the same, so that a change is judged by the same histories as the one before; the long run has new ones. */
const usualSeed = isLong ? randomInt(2 ** 31) : 3;
const seed = PACEKEEPER_SEED === undefined ? usualSeed : Number(PACEKEEPER_SEED);
const GROUPS_MAX = 5;

/** Nothing is recorded where there were always events. A proposal's own end is rarely where a process may crash. */
const EVERYTHING = [...EVENT_KINDS, ...(isLong ? CRASH_POINTS : [])].filter(
  (name) => name !== 'recorded' && !name.startsWith('decline:'),
);

let service: SharedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('budgets in random histories of rules, answers, crashes and people', () => {
  it(`stay within every promise (seed ${seed})`, async () => {
    const seen = new Set<string>();
    const property = fc.asyncProperty(history(GROUPS_MAX), async (one) => {
      const { kinds, crashes } = await liveThrough(service, one);
      for (const name of [...kinds, ...crashes]) seen.add(name);
    });
    const path = PACEKEEPER_PATH === undefined ? {} : { path: PACEKEEPER_PATH };
    const details = await fc.check(property, { seed, numRuns, ...path });
    if (details.failed) {
      const again = `PACEKEEPER_SEED=${details.seed} PACEKEEPER_PATH=${details.counterexamplePath}`;
      const wrong = details.errorInstance instanceof Error ? details.errorInstance.message : '';
      const replay = `To replay: ${again} npm test -- test/simulation`;
      throw new Error(`${await fc.asyncDefaultReportMessage(details)}\n${wrong}\n${replay}`);
    }
    // Histories in which nothing happens would hold every promise.
    if (PACEKEEPER_PATH === undefined) expect(EVERYTHING.filter((name) => !seen.has(name))).toEqual([]);
  }, 3_600_000);
});
