import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { nextMidnightMs } from '../account-calendar.ts';
import { liveForgotten, liveRestored } from './after-losses.ts';
import { type FileUser, watchBoundaries } from './boundaries.ts';
import { BudgetWatch } from './checks/budget-watch.ts';
import { checkBudgets, checkSettled } from './checks/check-budgets.ts';
import { checkComplete } from './checks/check-complete.ts';
import { checkDecisions } from './checks/check-decisions.ts';
import { checkPhones } from './checks/check-phones.ts';
import { checkFinal, checkPublished, checkTables } from './checks/check-tables.ts';
import { checkTold } from './checks/check-told.ts';
import { checkExcluded, checkProtected } from './checks/check-untouched.ts';
import type { Product } from './product.ts';
import type { Sabotage } from './sabotage.ts';
import { calmStart } from './scenes.ts';
import { replaceSockets } from './services/mail-service.ts';
import { MARKET } from './services/market.ts';
import { type StoryStep, storyOf } from './story.ts';
import type { VirtualProcess } from './virtual-process.ts';
import { FaultWorld, type ProcessEnd } from './world.ts';
import { liveWithWrongClock } from './wrong-clocks.ts';

const MINUTE_MS = 60_000;
/** Of the next day, where nobody asks for quiet. */
const NOON = Number.NaN;
const BERLIN = 'Europe/Berlin';

/** What a seed came to. */
export interface Lived {
  readonly seed: number;
  /** Of everything that happened, in order. */
  readonly hash: string;
  /** What must never be, a sentence each. */
  readonly violations: readonly string[];
  readonly traced: readonly string[];
  readonly faults: ReadonlyMap<string, number>;
  readonly kills: readonly string[];
  /** What processes lost on their way to the database. */
  readonly losses: readonly string[];
  readonly ends: readonly string[];
  /** The kinds of events that were written down. */
  readonly events: readonly string[];
  readonly virtualMs: number;
}

/** Lives through what the seed stands for. Never throws for what the product does. `sabotage` makes it another product. */
export async function liveSeed(product: Product, seed: number, sabotage: Sabotage = {}): Promise<Lived> {
  const story = storyOf(seed);
  const folder = mkdtempSync(join(product.folder, 'seed-'));
  const store = await product.openStore(folder);
  const world = new FaultWorld(product, story, folder, store, sabotage);
  const user = () => world.timeline.current as FileUser | undefined;
  const hangUp = replaceSockets((connected) =>
    world.network.connectToMail(world.timeline.current as VirtualProcess, connected),
  );
  const unwatch = watchBoundaries(user, () => store.onlooker, sabotage.reword);
  const clients = store.watch(user);
  world.timeline.waiting = clients.waiting;
  const watch = new BudgetWatch(world);
  world.watcher = watch;
  const violations: string[] = [];
  const ends: ProcessEnd[] = [];
  const events = new Set<string>();
  const look = async (step: readonly ProcessEnd[]) => {
    ends.push(...step);
    watch.ended(step);
    for (const { kind } of world.rows<{ kind: string }>('SELECT DISTINCT kind FROM budget_event')) events.add(kind);
    if (step.length === 0 || violations.length > 0) return;
    const found = [
      ...world.broken,
      ...checkTables(world),
      ...checkFinal(world),
      ...checkPublished(world, step),
      ...(await checkBudgets(world, watch)),
      ...checkPhones(world),
      ...checkDecisions(world, step),
      ...checkProtected(world),
      ...checkExcluded(world),
    ];
    violations.push(
      ...found.map((sentence) => `${sentence} (after ${step.map(({ process }) => process.name).join(' and ')})`),
    );
  };
  try {
    for (const step of story.steps) if (violations.length === 0) await look(await take(world, step));
    await liveCalmly(world, watch, look, violations);
    for (const line of standing(world)) world.traced.push(line);
    if (story.forgets !== undefined && violations.length === 0)
      violations.push(...(await liveForgotten(world, story.forgets)));
    if (story.dump !== undefined && violations.length === 0)
      violations.push(...(await liveRestored(world, story.dump)));
    if (story.wrongClock !== undefined && violations.length === 0)
      violations.push(...(await liveWithWrongClock(world, story.wrongClock)));
  } catch (error) {
    violations.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    unwatch();
    hangUp();
    clients.stop();
    await world.end();
  }
  const all = [...world.processes, ...world.workers];
  // Each world on PostgreSQL has a database of its own, which errors name.
  const traced = world.traced.map((line) => line.replaceAll(/\bdb_\d+/g, 'db'));
  return {
    seed,
    violations,
    traced,
    faults: world.network.injected,
    hash: createHash('sha256').update(traced.join('\n')).digest('hex').slice(0, 16),
    kills: all.flatMap(({ killedAt }) => killedAt ?? []),
    losses: all.flatMap(({ lost }) => lost ?? []),
    ends: ends.map(({ job, how }) => `${job} ${how}`),
    events: [...events],
    virtualMs: world.timeline.elapsedMs(),
  };
}

/** Nothing goes wrong any more: what is on its way arrives, quiet hours and doubts pass, and everything comes to its end. */
async function liveCalmly(
  world: FaultWorld,
  watch: BudgetWatch,
  look: (ends: readonly ProcessEnd[]) => Promise<void>,
  violations: string[],
): Promise<void> {
  let last: readonly ProcessEnd[] = [];
  // What people had in mind to do happens before that.
  await world.timeline.pass(2 * MINUTE_MS);
  for (const account of MARKET.keys()) world.suspend(account, false);
  world.showExcluded('there');
  world.ads.refusing.clear();
  world.phones.loses = false;
  if (world.network.lies.length > 0) world.lie([]);
  if (violations.length === 0) await look(await world.run([calmStart('unfreeze')]));
  for (const afterMs of [20 * MINUTE_MS, 45 * MINUTE_MS, NOON, 45 * MINUTE_MS]) {
    if (violations.length > 0) return;
    const { timeline } = world;
    await timeline.pass(
      Number.isNaN(afterMs) ? nextMidnightMs(timeline.now(), BERLIN) + 12 * 60 * MINUTE_MS - timeline.now() : afterMs,
    );
    last = await world.run([calmStart('report')]);
    await look(last);
  }
  if (violations.length > 0) return;
  const bad = last.filter(({ how }) => how !== 'done');
  violations.push(
    ...bad.map(
      ({ process, how, failures }) => `${process.name} ${how} although nothing went wrong: ${failures.join(' ')}`,
    ),
    ...checkComplete(world),
    ...checkSettled(world, watch),
    ...checkTold(world),
  );
}

async function take(world: FaultWorld, step: StoryStep): Promise<ProcessEnd[]> {
  const { timeline } = world;
  switch (step.kind) {
    case 'start':
      return world.run(step.starts, step.workers);
    case 'foreign':
      timeline.after(step.inMs, undefined, () => world.setByHand(step.pick, step.percent));
      if (step.inMs === 0) await timeline.pass(0);
      return [];
    case 'file':
      timeline.after(step.inMs, undefined, () => world.putFile(step.there));
      if (step.inMs === 0) await timeline.pass(0);
      return [];
    case 'suspend':
      timeline.after(step.inMs, undefined, () => world.suspend(step.account, step.suspended));
      if (step.inMs === 0) await timeline.pass(0);
      return [];
    case 'tree':
      timeline.after(step.inMs, undefined, () => world.showExcluded(step.tree));
      if (step.inMs === 0) await timeline.pass(0);
      return [];
    case 'refuse':
      world.trace(`changes of ${world.ads.refuse(step.pick, step.when)} are refused when they are ${step.when}`);
      return [];
    case 'lies':
      world.lie(step.lies);
      return [];
    case 'rules':
      world.haveRules(step.names ?? world.story.rules);
      return [];
    case 'plan':
      await world.havePlan(step.reallocates);
      return [];
    case 'wait':
      await timeline.pass(step.minutes * 60_000);
      return [];
    case 'midnight': {
      const zone = MARKET[step.account]?.timeZone ?? 'UTC';
      const toMs = nextMidnightMs(timeline.now(), zone) + step.seconds * 1000;
      await timeline.pass(Math.max(0, toMs - timeline.now()));
      return [];
    }
  }
}

/** What has come of it all; codes and references, and the order that they give to lines, are drawn anew and left out. */
function standing(world: FaultWorld): string[] {
  const tables = {
    budget_intent: 'customer_id, budget_id, account_day, rule, from_micros, to_micros, state',
    account_day: 'customer_id, date, state, rows, totals, read_at',
    outbox: 'alert_id, occasion, channel, recipient, state, counted',
  };
  const dumped = Object.entries(tables).flatMap(([table, columns]) =>
    world
      .rows<object>(`SELECT ${columns} FROM ${table} ORDER BY 1, 2, 3, 4, 5, 6`)
      .map((row) => Object.values(row).join(' ')),
  );
  const carried = world.ads.carried.map(({ budget, from, to, atMs }) => `${budget} ${from} ${to} ${atMs}`);
  const taken = world.phones.taken.map(
    ({ to, body, atMs }) => `${to} ${atMs} ${withoutDrawn(body).split('\n').sort().join(' ')}`,
  );
  return [...carried, ...taken, ...dumped];
}

const withoutDrawn = (body: string) =>
  body
    .replace(/\bRef pk-\w+/g, 'Ref')
    // The hash is of codes, too.
    .replace(/^Record \d+:\w+$/gm, 'Record')
    .replace(/\b(approve|reject) [A-Z\d]{4}\b/g, '$1')
    .replace(/^- [A-Z\d]{4} /gm, '- ');
