import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyAudit } from '../../../src/engine/budgets/verify-audit.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { openPostgres } from '../../../src/storage/records/postgres/open-records.ts';
import type { RecordStore } from '../../../src/storage/records/record-store.ts';
import { openState } from '../../../src/storage/records/sqlite/open-state.ts';
import { type ProgramResult, runInProcess } from '../../commands/run-in-process.ts';
import { BEST, putBest } from '../../support/best-target.ts';
import { everyNth } from '../../support/effort.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { NORTHWIND, putNorthwind } from '../../support/northwind-target.ts';
import { describePostgres, freshDatabase, onDatabase } from '../../support/postgres-server.ts';
import { isChange } from '../../support/product.ts';
import { runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { liveEnvironment, NOON, writeFolder } from '../../support/world.ts';

const killer = (name: string) => pathToFileURL(resolve('test/support', name)).href;
const GBP = '7350926148';
const YESTERDAY = '2026-11-19T12:00:00Z';
/** The lease of a message that was being sent has run out, and a reading is later than the change. */
const LATER = '2026-11-20T13:06:00Z';

/** A file's rows, whatever is counted or timed by runs left out; undefined where there is no file. */
function read(path: string, queries: Readonly<Record<string, string>>): Record<string, unknown> | undefined {
  if (!existsSync(path)) return undefined;
  const database = new Database(path, { readonly: true });
  try {
    return Object.fromEntries(Object.entries(queries).map(([name, sql]) => [name, database.prepare(sql).raw().all()]));
  } finally {
    database.close();
  }
}

/** As in other tests, with what tells the rows apart. */
const QUERY = TRIM_QUERIES['stats.sql'].replace('SELECT', 'SELECT ad_group.id, ad_group_criterion.criterion_id,');
const KEY = 'customer_id, date, ad_group_id, ad_group_criterion_criterion_id';

const STATE = {
  rows: `SELECT ${KEY}, campaign_id, campaign_name, clicks, cost_micros FROM stats ORDER BY ${KEY}`,
  twice: `SELECT 1 FROM stats GROUP BY ${KEY} HAVING count(*) > 1`,
  days: 'SELECT query, customer_id, date, state, rows, totals FROM account_day ORDER BY 1, 2, 3',
  readings: 'SELECT query, customer_id, date, days_after, rows, totals FROM day_reading ORDER BY 1, 2, 3, 4, 5, 6',
  changes: `SELECT customer_id, budget_id, account_day, from_micros, to_micros FROM budget_intent
    WHERE state IN ('applied', 'confirmed')`,
  // What was planned and surely not sent expires, and what is decided anew has a number of its own.
  open: `SELECT state FROM budget_intent WHERE state NOT IN ('applied', 'confirmed', 'expired')`,
  // From the first colon on: before it stands whether it was answered or read back. What a digest says depends on the hour.
  alerts: "SELECT substr(text, instr(text, ': '), 80), state, severity FROM alert WHERE kind <> 'digest' ORDER BY 1",
};
const PUBLISHED = { rows: STATE.rows, changes: 'SELECT budget_id, from_micros, to_micros FROM budget_change' };

/** Where a scene keeps its records. */
interface Kept {
  /** For the killed process and for the others. */
  readonly env: Readonly<Record<string, string>>;
  state(queries?: Readonly<Record<string, string>>): Promise<Record<string, unknown> | undefined>;
  published(): Record<string, unknown> | undefined;
  /** What is wrong with the audit trail. */
  audit(): Promise<readonly string[]>;
}

interface Engine {
  readonly killer: string;
  keep(folder: string, base?: Kept): Promise<Kept>;
}

const wrongWith = async (store: RecordStore): Promise<readonly string[]> => {
  const { broken, differences } = await verifyAudit(store);
  await store.close();
  return [...broken.map(({ sentence }) => sentence), ...differences];
};

const FILES: Engine = {
  killer: killer('kill-at-boundary.mjs'),
  async keep(folder) {
    const data = (file: string) => join(folder, 'data', file);
    return {
      env: {},
      state: async (queries = STATE) => read(data('state.sqlite'), queries),
      published: () => read(data('warehouse.sqlite'), PUBLISHED),
      audit: async () => wrongWith(await openState(data('state.sqlite'))),
    };
  },
};

const DATABASE: Engine = {
  killer: killer('kill-at-commit.mjs'),
  async keep(_folder, base) {
    const url = await freshDatabase(base?.env.PACEKEEPER_STORE_URL);
    const rows = async (queries: Readonly<Record<string, string>> = STATE) => {
      const found: Record<string, unknown> = {};
      for (const [name, sql] of Object.entries(queries))
        found[name] = await onDatabase(url, 'SET search_path = pacekeeper, warehouse', sql);
      return found;
    };
    return {
      env: { PACEKEEPER_STORE_URL: url, KILL_PORT: new URL(url).port },
      state: rows,
      published: () => undefined,
      audit: async () => wrongWith(await openPostgres({ url, waitMs: 1000 })),
    };
  },
};

interface Scene extends Kept {
  readonly folder: string;
  /** A run in a process of its own, which is killed at that moment. */
  kill(now: string, killAt: string): Promise<{ readonly code: number | null; readonly stderr: string }>;
  /** A run in this process: what is killed leaves nothing behind but files. Another command where one is given. */
  run(now: string, other?: readonly string[]): Promise<ProgramResult>;
  readonly service: Sandbox;
  /** What the service was asked for since the scene began. */
  changes(): number;
  messages(): number;
}

/** Alerts wait in the outbox. */
const NO_MESSAGES = Object.fromEntries(
  ['URL', 'ACCOUNT_ID', 'USERNAME', 'PASSWORD', 'FROM', 'TO'].map((name) => [`MESSAGES_${name}`, '']),
);

function putTrim(folder: string): void {
  writeFileSync(join(folder, 'pacekeeper.yaml'), 'automation: { mode: apply }\n');
  writeFolder(folder, 'queries', { 'stats.sql': QUERY });
  writeFolder(folder, 'rules', TRIM_RULES);
}

/** Scenes one after the other, each with a service of its own at the same address: a data folder belongs to one. */
function scenes(
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
  engine: Engine,
  putFiles: (folder: string) => void = putTrim,
  currency?: string,
): (base?: Scene) => Promise<Scene> {
  let sandbox: Sandbox | undefined;
  let port: number | undefined;
  onTestFinished(() => sandbox?.close());
  return async (base) => {
    const folder = tempDir();
    await sandbox?.close();
    const kept = await engine.keep(folder, base);
    // The copy belongs to a copy of the database.
    const isCopied = (path: string) => !path.endsWith('store.txt');
    if (base) cpSync(base.folder, folder, { recursive: true, filter: isCopied });
    else putFiles(folder);
    const clock = fakeClock(NOON);
    const service = await startSandbox({
      stateFile: join(folder, 'service.sqlite'),
      clock,
      seed: 1,
      strict: false,
      ...(currency && { currency }),
      ...(port ? { port } : {}),
    });
    sandbox = service;
    port = Number(new URL(service.url).port);
    const messagesBefore = service.messages().length;
    const environmentAt = (now: string) => {
      clock.set(now);
      return {
        ...liveEnvironment(service),
        ADS_CUSTOMER_IDS: TRIMMED.customerId,
        PACEKEEPER_NOW: now,
        ...settings,
        ...kept.env,
      };
    };
    return {
      ...kept,
      folder,
      kill(now, killAt) {
        const killed = { NODE_OPTIONS: `--import=${engine.killer}`, KILL_AT: killAt };
        return runCli(command, { cwd: folder, env: { ...environmentAt(now), ...killed } });
      },
      run: (now, other = command) => runInProcess(other, { folder, env: environmentAt(now) }),
      service,
      changes: () => service.requests.filter(({ kind, validateOnly }) => kind === 'mutate' && !validateOnly).length,
      messages: () => service.messages().length - messagesBefore,
    };
  };
}

type Side = 'before' | 'after';

/** Runs to the end. Before a moment that no request goes before, all is as after the moment before it. */
async function momentsOf(scene: Scene): Promise<Record<Side, readonly number[]>> {
  const { code, stderr } = await scene.kill(NOON, 'never');
  const [, count, afterRequests = ''] = /moments: (\d+), after requests: (.*)/.exec(stderr) ?? [];
  expect([code, count, code === 0 ? '' : stderr]).toEqual([0, expect.stringMatching(/\d/), '']);
  const all = Array.from({ length: Number(count) }, (_, index) => index + 1);
  return { after: all, before: afterRequests.split(' ').map(Number) };
}

/**
 * Kills run after run, each a moment later than the one before, and runs once more after each.
 * Without a first day the runs begin with nothing. Alerts are sent where it is killed around requests; each commit of a delivery
 * is a crash point of its own in test/alerts. Returns the changes that the service was asked for, for each killed run.
 */
async function killEverywhere<Sides extends Side>(
  sides: readonly Sides[],
  command: readonly string[],
  { engine, firstDay, nth: every = 7 }: { readonly engine: Engine; readonly firstDay?: string; readonly nth?: number },
): Promise<Record<Sides, readonly number[]>> {
  const scene = scenes(command, (sides as readonly Side[]).includes('before') ? {} : NO_MESSAGES, engine);
  const base = firstDay === undefined ? undefined : await scene();
  if (firstDay) expect(await base?.run(firstDay)).toMatchObject({ code: 0 });
  const undisturbed = await scene(base);
  const before = undisturbed.published();
  const moments = await momentsOf(undisturbed);
  const state = await undisturbed.state();
  const published = undisturbed.published();
  const told = undisturbed.messages();
  const changesAt = async (side: Sides): Promise<readonly number[]> => {
    const changes: number[] = [];
    for (const nth of everyNth(every, moments[side])) {
      const killed = await scene(base);
      const at = `killed ${side} moment ${nth}`;
      expect((await killed.kill(NOON, `${side} ${nth}`)).code, at).toBeNull();
      expect([before, published], at).toContainEqual(killed.published());
      const next = await killed.run(LATER);
      expect(next.code, `${at}: ${next.stdout}`).toBe(0);
      expect(await killed.state(), at).toEqual(state);
      expect(killed.published(), at).toEqual(published);
      expect(killed.messages(), at).toBe(told);
      expect(await killed.audit(), at).toEqual([]);
      changes.push(killed.changes());
    }
    return changes;
  };
  const changes: Partial<Record<Side, readonly number[]>> = {};
  for (const side of sides) changes[side] = await changesAt(side);
  return changes as Record<Sides, readonly number[]>;
}

const APPROVE = ['budgets', 'approve', '--rule', 'northwind', '--by', 'anna'];

function putPlan(folder: string): void {
  writeFileSync(join(folder, 'pacekeeper.yaml'), 'automation: { mode: approve }\n');
  writeFolder(folder, 'queries', { 'campaign_spend.sql': NORTHWIND.query });
  writeFolder(folder, 'rules', {});
  putNorthwind(folder);
}

const PLAN = {
  // What was never sent expires, and is proposed anew.
  changes: `SELECT CAST(budget_id AS TEXT), CAST(to_micros AS TEXT), state, CAST(outcome AS TEXT) FROM budget_intent
    WHERE state <> 'expired' ORDER BY id`,
  lines: "SELECT CASE WHEN intent_id IS NULL THEN state ELSE 'recorded' END FROM budget_proposal ORDER BY 1",
};

/** The real changes that the service was asked for, in their order. */
const sentTo = ({ requests }: Sandbox) =>
  requests
    .filter(isChange)
    .flatMap(({ body }): Operation[] => JSON.parse(body).operations)
    .map(({ update }) => ({ budget: update.resourceName.replace(/.*\//, ''), to: BigInt(update.amountMicros) }));

interface Operation {
  readonly update: { readonly resourceName: string; readonly amountMicros: string };
}

/** In hundredths of a micro of EUR. */
const totalOf = (amounts: readonly bigint[]) =>
  NORTHWIND.lines.reduce((sum, { customer }, at) => sum + (amounts[at] ?? 0n) * (customer === GBP ? 117n : 100n), 0n);

/** The whole plan never exceeds its own total, not even between two of its changes. */
function checkTotals(sent: readonly { readonly budget: string; readonly to: bigint }[], at: string): void {
  const amounts: bigint[] = NORTHWIND.lines.map(({ from }) => from);
  for (const { budget, to } of sent) {
    amounts[NORTHWIND.lines.findIndex((line) => line.budget === budget)] = to;
    expect(totalOf(amounts), at).toBeLessThanOrEqual(totalOf(NORTHWIND.lines.map((line) => line.to)));
  }
}

type Change = readonly [budget: string, to: string, state: string, outcome: string | null];

/** Each line was made once, as it was approved, or was never sent and says why. Returns how many were made. */
function checkLines(changes: readonly Change[], service: Sandbox, at: string): number {
  const sent = sentTo(service);
  checkTotals(sent, at);
  const made = NORTHWIND.lines.filter(({ customer, budget, from, to }) => {
    const own = changes.filter(([id]) => id === budget);
    const isMade = own.some(([, , state]) => state === 'applied' || state === 'confirmed');
    const amounts = sent.filter((one) => one.budget === budget).map((one) => one.to);
    expect([own.length, service.budgetAmount(customer, budget), amounts], `${at}: ${budget}`).toEqual(
      isMade ? [1, to, [to]] : [1, from, []],
    );
    if (!isMade) {
      const why = 'The change was never made. It may not be sent again.';
      expect([to > from, own], at).toEqual([true, [[budget, `${to}`, 'rejected', why]]]);
    }
    return isMade;
  });
  return made.length;
}

/**
 * A person approves a whole plan, and the process is killed. Then comes a report, and the person approves again. Returns how
 * many lines were made, for each killed process.
 */
async function killApprovals(engine: Engine, every: number): Promise<readonly number[]> {
  const settings = { ...NO_MESSAGES, ADS_CUSTOMER_IDS: NORTHWIND.customers };
  const scene = scenes(APPROVE, settings, engine, putPlan);
  const base = await scene();
  expect(await base.run(NOON, ['report'])).toMatchObject({ code: 0 });
  const moments = await momentsOf(await scene(base));
  const made: number[] = [];
  for (const side of ['after', 'before'] as const) {
    for (const nth of everyNth(every, moments[side])) {
      const killed = await scene(base);
      const at = `killed ${side} moment ${nth}`;
      expect((await killed.kill(NOON, `${side} ${nth}`)).code, at).toBeNull();
      const lines = (await killed.state(PLAN))?.lines as readonly [string][];
      expect([lines.length, lines.flat().filter((line) => line !== 'open' && line !== 'recorded')], at).toEqual([
        3,
        [],
      ]);
      await killed.run(LATER, ['report']);
      const again = await killed.run(LATER, APPROVE);
      expect([0, 2], `${at}: ${again.stderr}`).toContain(again.code);
      made.push(checkLines((await killed.state(PLAN))?.changes as readonly Change[], killed.service, at));
      expect(await killed.audit(), at).toEqual([]);
    }
  }
  return made;
}

function putReallocation(folder: string): void {
  writeFileSync(join(folder, 'pacekeeper.yaml'), 'automation: { mode: apply }\n');
  writeFolder(folder, 'queries', { 'campaign_value.sql': BEST.query });
  writeFolder(folder, 'rules', {});
  putBest(folder);
}

/** A report that reallocates is killed, and the next one follows. Returns how many budgets had changed at the end. */
async function killReallocations(engine: Engine, every: number): Promise<readonly number[]> {
  const settings = { ...NO_MESSAGES, ADS_CUSTOMER_IDS: BEST.customers };
  const scene = scenes(['report'], settings, engine, putReallocation, 'EUR');
  const base = await scene();
  expect(await base.run(NOON, ['extract'])).toMatchObject({ code: 0 });
  const moments = await momentsOf(await scene(base));
  const made: number[] = [];
  for (const side of ['after', 'before'] as const) {
    for (const nth of everyNth(every, moments[side])) {
      const killed = await scene(base);
      const at = `killed ${side} moment ${nth}`;
      expect((await killed.kill(NOON, `${side} ${nth}`)).code, at).toBeNull();
      await killed.run(LATER);
      await killed.run(LATER);
      const amounts = BEST.lines.map(({ customer, budget }) => killed.service.budgetAmount(customer, budget));
      checkTotalOfBest(sentTo(killed.service), amounts, at);
      expect(await killed.audit(), at).toEqual([]);
      made.push(BEST.lines.filter(({ to }, line) => amounts[line] === to).length);
    }
  }
  return made;
}

/** Each budget has its old or its new amount, and the total was at no time above what it was. */
function checkTotalOfBest(
  sent: readonly { readonly budget: string; readonly to: bigint }[],
  amounts: readonly bigint[],
  at: string,
): void {
  const now: bigint[] = BEST.lines.map(({ from }) => from);
  const before = now.reduce((sum, one) => sum + one);
  for (const { budget, to } of sent) {
    now[BEST.lines.findIndex((line) => line.budget === budget)] = to;
    expect(
      now.reduce((sum, one) => sum + one),
      at,
    ).toBeLessThanOrEqual(before);
  }
  expect(amounts, at).toEqual(now);
  for (const [line, { from, to }] of BEST.lines.entries()) expect([from, to], at).toContain(amounts[line]);
}

describe('a process killed at every commit', () => {
  it('loses and doubles nothing: the next run ends as if nothing had happened', async () => {
    // Each side by itself, so that no moment of a delivery is killed at twice.
    const [{ after }, { before }] = await Promise.all([
      killEverywhere(['after'], ['report'], { engine: FILES, firstDay: YESTERDAY }),
      killEverywhere(['before'], ['report'], { engine: FILES, firstDay: YESTERDAY }),
    ]);
    expect(after.length).toBeGreaterThan(2);
    expect(before.length).toBeGreaterThan(0);
    expect(new Set([...after, ...before])).toEqual(new Set([1]));
  }, 600_000);

  it('makes each change of an approved plan once, or says why not', async () => {
    const made = await killApprovals(FILES, 16);
    expect(made.length).toBeGreaterThan(2);
    expect(made).toContain(3);
  }, 600_000);

  it('never raises the total of a reallocation, and makes it as a whole if it was not begun', async () => {
    const made = await killReallocations(FILES, 15);
    expect(made.length).toBeGreaterThan(2);
    expect(made).toContain(4);
  }, 600_000);

  it('loses nothing of an extraction, which changes no budget', async () => {
    const { after } = await killEverywhere(['after'], ['extract'], { engine: FILES });
    expect(after.length).toBeGreaterThan(2);
    expect(new Set(after)).toEqual(new Set([0]));
  }, 600_000);
});

describePostgres('a process killed at commits to PostgreSQL', () => {
  it('never raises the total of a reallocation', async () => {
    const made = await killReallocations(DATABASE, 15);
    expect(made.length).toBeGreaterThan(2);
    expect(made).toContain(4);
  }, 600_000);

  it('makes each change of an approved plan once, or says why not', async () => {
    const made = await killApprovals(DATABASE, 15);
    expect(made.length).toBeGreaterThan(2);
    expect(made).toContain(3);
  }, 600_000);

  it('loses and doubles nothing: the next run ends as if nothing had happened', async () => {
    const { after, before } = await killEverywhere(['after', 'before'], ['report'], {
      engine: DATABASE,
      firstDay: YESTERDAY,
      nth: 11,
    });
    expect(after.length).toBeGreaterThan(2);
    expect(before.length).toBeGreaterThan(0);
    expect(new Set([...after, ...before])).toEqual(new Set([1]));
  }, 600_000);
});
