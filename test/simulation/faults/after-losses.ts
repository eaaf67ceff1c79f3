import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nextPath } from '../../../src/storage/files/replace-file.ts';
import { findAuditProblems } from '../../support/audit.ts';
import { dayOf, nextMidnightMs } from '../account-calendar.ts';
import { calmStart } from './scenes.ts';
import { MARKET } from './services/market.ts';
import { SLOW_RULE } from './services/rule-sheets.ts';
import type { Dump, Forgetting } from './story.ts';
import type { FaultWorld, ProcessEnd } from './world.ts';

const HOUR_MS = 3_600_000;

/**
 * Between two processes somebody empties the store, or deletes it. The next process refuses to work; recovered, the folder goes on,
 * and no budget is changed a second time on a day. Answers with what was otherwise.
 */
export async function liveForgotten(world: FaultWorld, how: Forgetting): Promise<string[]> {
  const { timeline, ads } = world;
  stopWatching(world);
  await timeline.pass(nextMidnightMs(timeline.now(), MARKET[0]?.timeZone ?? 'UTC') + 12 * HOUR_MS - timeline.now());
  const before = ads.carried.length;
  await world.run([calmStart('report')]);
  await world.store.forget(how);
  world.trace(`the memory is ${how}`);
  const known = ads.carried.length;
  const [refused] = await world.run([calmStart('report')]);
  const wrong = refused?.how === 'refused' ? [] : [`a report on a memory that was ${how} ended as ${refused?.how}`];
  if (wrong.length === 0) {
    await world.store.recover(world.settings, { now: () => timeline.now() }, how);
    const [held] = await world.run([calmStart('report')]);
    if (held?.how !== 'done') wrong.push(`the report after a recovery ended as ${held?.how}: ${held?.failures}`);
  }
  if (ads.carried.length > known) wrong.push(`budgets were changed on the day on which the memory was ${how}`);
  await timeline.pass(48 * HOUR_MS);
  const [last] = await world.run([calmStart('report')]);
  if (last?.how !== 'done') wrong.push(`the report two days after ended as ${last?.how}: ${last?.failures}`);
  const audited = await findAuditProblems(await world.store.looking());
  return [...wrong, ...world.broken, ...twice(world, before), ...audited];
}

/** The record says something else from now on than was seen. */
export function stopWatching(world: FaultWorld): void {
  world.watcher = { sent: () => undefined, arrives: () => undefined };
  // What stood in the way of publishing.
  rmSync(nextPath(join(world.folder, 'warehouse.sqlite')), { recursive: true, force: true });
}

/** Every change of a calm time is of a rule. */
export function twice({ ads }: FaultWorld, before: number): string[] {
  const changes = ads.carried.slice(before).filter(({ from, to }) => from !== to);
  const days = changes.map(({ budget, atMs }) => {
    const zone = MARKET.find(({ id }) => budget.startsWith(`${id}/`))?.timeZone ?? 'UTC';
    return `${budget} on ${dayOf(atMs, zone)}`;
  });
  return days.filter((day, index) => days.indexOf(day) !== index).map((day) => `rules changed ${day} twice`);
}

/**
 * Somebody puts the records of some time before there. Until a person acts, no process changes a budget; on the way that is
 * documented everything goes on, and no budget is changed a second time on a day. Answers with what was otherwise.
 */
export async function liveRestored(world: FaultWorld, dump: Dump): Promise<string[]> {
  const { timeline, ads, store, network } = world;
  stopWatching(world);
  world.haveRules([SLOW_RULE.name]);
  // At the noon of a day on which no cooldown holds any more.
  await timeline.pass(nextMidnightMs(timeline.now(), MARKET[0]?.timeZone ?? 'UTC') + 84 * HOUR_MS - timeline.now());
  const before = ads.carried.length;
  await makeDump(world, dump);
  for (let left = dump.reports; left > 0; left--) {
    await timeline.pass(48 * HOUR_MS);
    await world.run([calmStart('report')]);
  }
  let known = 0;
  const putBack = () => {
    known = network.all.length;
    return world.putBack();
  };
  if (store.url === undefined && dump.duringMs !== undefined) {
    await timeline.pass(48 * HOUR_MS);
    timeline.after(dump.duringMs, undefined, () => void putBack());
    await world.run([calmStart('report')]);
    await timeline.pass(dump.duringMs);
  } else await putBack();
  if (store.url !== undefined && dump.losesFolder) emptyFolder(world.folder);
  const [next] = await world.run([calmStart('report')]);
  await timeline.pass(48 * HOUR_MS);
  await world.run([calmStart('report')]);
  const wrong = ads.carried
    .filter(({ request }) => request > known)
    .map(({ budget }) => `${budget} was changed after older records were put there, and nobody has allowed it`);
  if (wrong.length === 0) wrong.push(...(await goOn(world, dump, next)));
  return [...wrong, ...world.broken, ...twice(world, before), ...(await findAuditProblems(await store.looking()))];
}

/** In the middle of a report, or before it. A database is copied when the report has ended there, and another one comes later. */
async function makeDump(world: FaultWorld, { commits }: Dump): Promise<void> {
  const { store, timeline } = world;
  if (commits === undefined) await store.copy();
  if (commits !== undefined && store.url !== undefined) {
    await world.run([calmStart('report', { kill: { at: 'commit:after', nth: commits } })]);
    await store.copy();
    await timeline.pass(2 * HOUR_MS);
  }
  let isCopied = commits === undefined || store.url !== undefined;
  await world.run([calmStart('report')], [], (times) => {
    if (isCopied || times !== commits) return;
    isCopied = true;
    void store.copy();
  });
  if (!isCopied) await store.copy();
}

/** A person does what the documentation says. */
async function goOn(world: FaultWorld, { way }: Dump, next: ProcessEnd | undefined): Promise<string[]> {
  const { timeline, store, settings } = world;
  const clock = { now: () => timeline.now() };
  if (next?.how === 'refused') {
    if (way === 'restore' && store.restore) await store.restore(settings, clock);
    else await store.recover(settings, clock, 'older records');
    await timeline.pass(48 * HOUR_MS);
  }
  await world.run([calmStart('unfreeze')]);
  const wrong: string[] = [];
  for (const hours of [1, 48]) {
    await timeline.pass(hours * HOUR_MS);
    const [last] = await world.run([calmStart('report')]);
    if (last?.how !== 'done') wrong.push(`a report after the way back ended as ${last?.how}: ${last?.failures}`);
  }
  return wrong;
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
}
