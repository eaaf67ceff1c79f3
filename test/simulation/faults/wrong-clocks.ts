import { findAuditProblems } from '../../support/audit.ts';
import { nextMidnightMs } from '../account-calendar.ts';
import { stopWatching, twice } from './after-losses.ts';
import { calmStart } from './scenes.ts';
import { MARKET } from './services/market.ts';
import { requestKind } from './services/network-faults.ts';
import { DAILY_RULE } from './services/rule-sheets.ts';
import type { WorkerStart, WrongClock } from './story.ts';
import type { FaultWorld } from './world.ts';

const HOUR_MS = 3_600_000;

const WORKER: WorkerStart = { ...calmStart('report'), hang: undefined };

/**
 * The clock of one process is wrong, on a day on which another one changes budgets. Where the service says what time it is, the
 * wrong one changes nothing, and no budget is changed twice on a day as everybody counts it. Answers with what was otherwise.
 */
export async function liveWithWrongClock(world: FaultWorld, wrong: WrongClock): Promise<string[]> {
  const { timeline, ads, network, store } = world;
  const { aheadMs, comesFirst, isOfWorker, isTold, kill } = wrong;
  stopWatching(world);
  world.haveRules([DAILY_RULE.name]);
  network.tellsTime = isTold;
  await timeline.pass(nextMidnightMs(timeline.now(), MARKET[0]?.timeZone ?? 'UTC') + 12 * HOUR_MS - timeline.now());
  const before = ads.carried.length;
  const first = network.all.length;
  const right = () => world.run([calmStart('report')]);
  const other = () => {
    world.trace(`a clock is ${aheadMs / HOUR_MS} h ahead`);
    if (isOfWorker && store.url !== undefined)
      return world.run([calmStart('report')], [{ ...WORKER, aheadMs }, WORKER]);
    return world.run([{ ...calmStart('report', kill && { kill }), aheadMs }]);
  };
  for (const run of comesFirst ? [other, right] : [right, other]) {
    await run();
    await timeline.pass(HOUR_MS);
  }
  const found = isTold ? [...changesByWrongClocks(world, first), ...twice(world, before)] : [];
  // When even what was written down ahead of time is over.
  await timeline.pass(Math.abs(aheadMs) + 48 * HOUR_MS);
  const [last] = await right();
  if (last?.how !== 'done') found.push(`the report after a wrong clock ended as ${last?.how}: ${last?.failures}`);
  return [...found, ...world.broken, ...(await findAuditProblems(await store.looking()))];
}

function changesByWrongClocks({ network }: FaultWorld, first: number): string[] {
  return network.all.slice(first).flatMap(({ number, process, request }) => {
    const { url, method, body = '' } = request;
    if (process.aheadMs === 0 || requestKind(new URL(url), method, body) !== 'mutate') return [];
    return [
      `request ${number} changes budgets, and the clock of ${process.name} is ${process.aheadMs / HOUR_MS} h ahead`,
    ];
  });
}
