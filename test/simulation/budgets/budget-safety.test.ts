import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CRASH_POINTS } from '../../../src/engine/budgets/budget-deps.ts';
import { EVENT_KINDS } from '../../../src/storage/records/schema.ts';
import { isLong } from '../../support/effort.ts';
import { byEngine } from '../../support/state.ts';
import { checkHistories } from '../check-histories.ts';
import { findUnsettled, findWrong } from './check-state.ts';
import { HistoryWorld } from './history-world.ts';
import { type SharedService, startService } from './service.ts';
import { type History, history, NO_TROUBLE } from './steps.ts';
import { runReport, type Standing, takeStep } from './take-step.ts';

/** What a history came to, for those who want to know what many of them have covered. */
interface Lived {
  /** The kinds of events that were written down. */
  readonly kinds: readonly string[];
  /** The crash points at which a process ended. */
  readonly crashes: readonly string[];
}

/** Lives through a history and throws at the first thing that must never be, with all that happened until then. */
async function liveThrough(service: SharedService, history: History): Promise<Lived> {
  const world = await HistoryWorld.begin(service, history);
  const log: string[] = [];
  const standing: Standing = { mode: 'apply', rules: [CALM] };
  try {
    for (const step of history.steps) {
      log.push(`${step.kind}: ${await takeStep(world, standing, step)}`);
      refuse(await findWrong(world));
    }
    await world.unfreeze();
    // Changes of others are looked for where a rule concerns the account.
    const atTheEnd: Standing = { mode: 'apply', rules: [...standing.rules, CALM] };
    // One reading may be old, and one of an hour later may be the first to show what another has set.
    for (const time of ['first', 'second', 'third']) {
      await takeStep(world, standing, { kind: 'wait', minutes: 61 });
      log.push(`at the end, for the ${time} time: ${await runReport(world, atTheEnd, NO_TROUBLE)}`);
    }
    refuse([...(await findWrong(world)), ...findUnsettled(world)]);
    const kinds = world.rows<{ kind: string }>('SELECT DISTINCT kind FROM budget_event').map(({ kind }) => kind);
    return { kinds, crashes: world.crashes };
  } catch (cause) {
    const wrong = cause instanceof Error ? cause.message : String(cause);
    throw new Error([wrong, 'What happened:', ...log].join('\n  '), { cause });
  } finally {
    await world.end();
  }
}

function refuse(wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Error(wrong.join('\n  '));
}

/** One that concerns every account and changes nothing. */
const CALM = {
  for: 'campaign',
  currency: undefined,
  leastClicks: 1_000_000,
  change: 'decrease budget by 15%',
  floor: undefined,
  ceiling: undefined,
  stepPercent: undefined,
  cooldownDays: undefined,
  drift: undefined,
  mode: 'propose',
} as const;

const { PACEKEEPER_SEED, PACEKEEPER_PATH } = process.env;
const numRuns = isLong ? 10_000 : 300;
/** Always the same, so that a change is judged by the same histories as the one before; the long run has new ones. */
const usualSeed = isLong ? randomInt(2 ** 31) : 3;
const seed = PACEKEEPER_SEED === undefined ? usualSeed : Number(PACEKEEPER_SEED);
const GROUPS_MAX = 5;

/** Of the 300, every fifth, those in which the most happens, and those with what the others lack. Together they see everything. */
const EVENTFUL = [19, 59, 126, 146, 266];
const RARE_EVENTS = [18, 48, 101, 109, 239];
const EVERY_FIFTH = Array.from({ length: 60 }, (_, at) => 5 * at);
const usual = byEngine({ sqlite: [EVENTFUL, RARE_EVENTS, EVERY_FIFTH], postgres: [EVENTFUL] }).flat();
const chosen = isLong || PACEKEEPER_SEED !== undefined ? undefined : usual;

const seesAll = isLong || byEngine({ sqlite: true, postgres: false });

/** Where the 300 never crash. */
const RARE = 'check:before-commit';
const usualPoints = PACEKEEPER_SEED === undefined ? CRASH_POINTS.filter((point) => point !== RARE) : [];
const NEVER: ReadonlySet<string> = new Set(['recorded', 'adopted', 'restored']);
/** Nothing is recorded where there were always events, and no file is lost here. A proposal's own end is rarely where a process may crash. */
const EVERYTHING = [...EVENT_KINDS, ...(isLong ? CRASH_POINTS : usualPoints)].filter(
  (name) => !NEVER.has(name) && !name.startsWith('decline:'),
);

let service: SharedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('budgets in random histories with rules, answers, crashes and people', () => {
  it(`keep all guarantees (seed ${seed}, ${chosen?.length ?? numRuns} histories)`, async () => {
    const seen = new Set<string>();
    const property = fc.asyncProperty(history(GROUPS_MAX), async (one) => {
      const { kinds, crashes } = await liveThrough(service, one);
      for (const name of [...kinds, ...crashes]) seen.add(name);
    });
    await checkHistories(property, { file: 'budgets/budget-safety.test.ts', seed, numRuns, chosen });
    // Histories in which nothing happens would hold every promise.
    if (PACEKEEPER_PATH === undefined && seesAll) expect(EVERYTHING.filter((name) => !seen.has(name))).toEqual([]);
  }, 3_600_000);
});
