import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adoptFolder } from '../../../src/commands/adopt/run-adopt.ts';
import { nextPath } from '../../../src/files/replace-file.ts';
import { openStateToLook } from '../../../src/store/sqlite/open-state.ts';
import { findAuditProblems } from '../../support/audit-problems.ts';
import { dayOf, nextMidnightMs } from '../account-calendar.ts';
import { MARKET } from './market.ts';
import { calmStart } from './scenes.ts';
import type { Forgetting } from './story.ts';
import type { FaultWorld } from './world.ts';

const HOUR_MS = 3_600_000;

/**
 * Between two processes somebody empties the state file, or deletes it. The next process refuses to work; adopted, the folder
 * goes on, and no budget is changed a second time on a day. Answers with what was otherwise.
 */
export async function liveForgotten(world: FaultWorld, how: Forgetting): Promise<string[]> {
  const { timeline, ads } = world;
  world.watcher = { sent: () => undefined, arrives: () => undefined };
  // What stood in the way of publishing.
  rmSync(nextPath(join(world.folder, 'warehouse.sqlite')), { recursive: true, force: true });
  await timeline.pass(nextMidnightMs(timeline.now(), MARKET[0]?.timeZone ?? 'UTC') + 12 * HOUR_MS - timeline.now());
  const before = ads.carried.length;
  await world.run([calmStart('report')]);
  await forget(world, how);
  const known = ads.carried.length;
  const [refused] = await world.run([calmStart('report')]);
  const wrong = refused?.how === 'refused' ? [] : [`a report on a memory that was ${how} ended as ${refused?.how}`];
  if (wrong.length === 0) {
    await adoptFolder(world.settings, { now: () => timeline.now() }, { by: 'anna', why: how });
    const [held] = await world.run([calmStart('report')]);
    if (held?.how !== 'done') wrong.push(`the report after an adoption ended as ${held?.how}: ${held?.failures}`);
  }
  if (ads.carried.length > known) wrong.push(`budgets were changed on the day on which the memory was ${how}`);
  await timeline.pass(48 * HOUR_MS);
  const [last] = await world.run([calmStart('report')]);
  if (last?.how !== 'done') wrong.push(`the report two days after ended as ${last?.how}: ${last?.failures}`);
  return [...wrong, ...world.broken, ...twice(world, before), ...(await auditProblems(world))];
}

async function forget(world: FaultWorld, how: Forgetting): Promise<void> {
  await world.stopLooking();
  const files = readdirSync(world.folder).filter((name) => name.startsWith('state.sqlite'));
  for (const name of files) rmSync(join(world.folder, name));
  const path = join(world.folder, 'state.sqlite');
  if (how === 'emptied') writeFileSync(path, '');
  if (how === 'made anew') writeFileSync(path, world.product.emptyState, { mode: 0o600 });
  world.trace(`the memory is ${how}`);
}

/** Every change of a calm time is of a rule. */
function twice({ ads }: FaultWorld, before: number): string[] {
  const changes = ads.carried.slice(before).filter(({ from, to }) => from !== to);
  const days = changes.map(({ budget, atMs }) => {
    const zone = MARKET.find(({ id }) => budget.startsWith(`${id}/`))?.timeZone ?? 'UTC';
    return `${budget} on ${dayOf(atMs, zone)}`;
  });
  return days.filter((day, index) => days.indexOf(day) !== index).map((day) => `rules changed ${day} twice`);
}

async function auditProblems({ folder }: FaultWorld): Promise<string[]> {
  const state = await openStateToLook(join(folder, 'state.sqlite'), 0);
  try {
    return await findAuditProblems(state);
  } finally {
    await state.close();
  }
}
