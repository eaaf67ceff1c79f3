import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DELIVERY_POINTS } from '../../../src/alerts/delivery-pass.ts';
import { byEffort, isLong, isThorough } from '../../support/effort.ts';
import { type AnyStore, byEngine, freshPlace, removePlace, storeAt } from '../../support/state.ts';
import { checkHistories } from '../check-histories.ts';
import { type AlertStep, AlertWorld, alertHistory, RECIPIENTS } from './alert-world.ts';

const { PACEKEEPER_SEED } = process.env;
const numRuns = byEffort({ quick: 300, thorough: 300, long: 20_000 });
/** Always the same, so that a change is judged by the same histories as the one before; the long run has new ones. */
const usualSeed = isLong ? randomInt(2 ** 31) : 20_261_121;
const seed = PACEKEEPER_SEED === undefined ? usualSeed : Number(PACEKEEPER_SEED);
const STEPS_MAX = 14;

/**
 * `npm test` takes those of the 300 that see everything three times together. Where a change makes them miss something,
 * look which of the 300 see it now.
 */
const TELLING = [
  65, 71, 79, 93, 95, 105, 128, 144, 151, 179, 183, 188, 189, 218, 224, 226, 233, 245, 254, 273, 276, 294,
];
const usual = byEngine({ sqlite: isThorough ? undefined : TELLING, postgres: isLong ? undefined : TELLING });
const chosen = PACEKEEPER_SEED === undefined ? usual : undefined;

let place: string;
let state: AnyStore;
beforeAll(async () => {
  place = await freshPlace();
  state = await storeAt(place);
});
afterAll(async () => {
  await state.close();
  await removePlace(place);
});

/** Lives through a history, then lets everything come to its end, and says what is wrong then. */
async function liveThrough(history: readonly AlertStep[]): Promise<AlertWorld> {
  const world = new AlertWorld(state);
  for (const step of history) await world.take(step);
  // No more faults. Leases run out, quiet hours end, each provider reports how each message ended, and what was lost is passed on.
  world.provider.sendFaults = [];
  world.provider.askFaults = [];
  for (let round = 0; round < 5; round++) {
    world.provider.catchUp();
    world.provider.settle();
    for (const one of world.provider.taken) await world.report(one, one.status);
    world.wait(6 * 60);
    await world.deliver();
    world.watch();
  }
  refuseLost(world);
  return world;
}

/** Every alert has reached every recipient's phone, or it was said loudly that it did not. */
function refuseLost(world: AlertWorld): void {
  const waits = world.rows("SELECT id FROM outbox WHERE state IN ('pending', 'sending')");
  if (waits.length > 0) throw new Error('something waits although nothing is in its way');
  const firing = world.rows("SELECT id FROM alert WHERE state = 'firing'");
  if (firing.length > 0) throw new Error('an event that was told still fires');
  for (const { name, addresses } of RECIPIENTS) {
    const reached = [...addresses.values()];
    const missed = world.events.filter(
      (text) => !world.provider.taken.some((one) => one.arrives && reached.includes(one.to) && one.body.includes(text)),
    );
    const last = [...addresses.keys()].at(-1) ?? '';
    const loud = world.log.filter((line) =>
      line.startsWith(`ALERT NOT DELIVERED to ${masked(last, reached.at(-1) ?? '')},`),
    );
    const said = loud.reduce((sum, line) => sum + 1 + Number(/\(and (\d+) more\)/.exec(line)?.[1] ?? 0), 0);
    if (said < missed.length) throw new Error(`${name} missed ${missed.join(' ')}, and the log says ${said}`);
  }
}

function masked(channel: string, address: string): string {
  const [kind, number] = address.includes('+') ? address.split('+') : [`${channel}:`, address];
  return `${kind}+${number?.slice(0, 2)}…${number?.slice(-2)}`;
}

describe('alerts in random histories with faults, crashes, two processes and repeated reports', () => {
  it(`arrive at least once, and at most once per channel with a known outcome (seed ${seed}, ${chosen?.length ?? numRuns} histories)`, async () => {
    const seen = new Set<string>();
    const property = fc.asyncProperty(alertHistory(STEPS_MAX), async (history) => {
      const { crashed, states } = await liveThrough(history);
      for (const name of [...crashed, ...states]) seen.add(name);
    });
    await checkHistories(property, { file: 'alerts/alert-delivery.test.ts', seed, numRuns, chosen });
    // Histories in which nothing happens would hold every promise.
    const everything = [...DELIVERY_POINTS, 'sending', 'unknown', 'accepted', 'delivered', 'failed', 'pending'];
    if (PACEKEEPER_SEED === undefined) expect(everything.filter((name) => !seen.has(name))).toEqual([]);
  }, 3_600_000);
});
