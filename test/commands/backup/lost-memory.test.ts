import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openScheduleFile, schedulePath } from '../../../src/engine/schedule/schedule-file.ts';
import { beginTick, claimTick, endTick, noteRun } from '../../../src/engine/schedule/tick-table.ts';
import { damageTable } from '../../support/damage.ts';
import { byEffort } from '../../support/effort.ts';
import { copiesOf, createProduct, isValidation, type Product } from '../../support/product.ts';
import { runCli } from '../../support/run-cli.ts';
import { putUnusedState } from '../../support/state.ts';
import { type UsedFolder, usedFolder } from '../../support/used-folder.ts';
import { NOON } from '../../support/world.ts';

const KILLER = pathToFileURL(resolve('test/support/kill-at-boundary.mjs')).href;

const at = ({ folder }: Product, ...path: readonly string[]) => join(folder, 'data', ...path);

/** One report that has set the budget from 60.00 to 51.00. */
const used = copiesOf(async () => {
  const product = await createProduct();
  expect(await product.run(['report'])).toMatchObject({ code: 0 });
  return product;
});

const STATE = 'state.sqlite';

/** What somebody may do to the memory of a data folder between two runs. */
const LOSSES: readonly (readonly [string, (product: Product) => unknown])[] = [
  ['was deleted', (product) => rmSync(at(product, STATE))],
  ['was emptied', (product) => writeFileSync(at(product, STATE), '')],
  [
    'was created again',
    async (product) => {
      rmSync(at(product, STATE));
      await putUnusedState(at(product));
    },
  ],
];

function filesOf(product: Product): Record<string, string> {
  const names = readdirSync(at(product), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /warehouse|runs.*json/.test(name),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(at(product, name), 'base64')]));
}

const refusal =
  /but the data folder was used before: found warehouse\.sqlite with 1 run and newest change B1 of 2026-11-20/;

describe.each(LOSSES)('a data folder whose state.sqlite %s', (_words, lose) => {
  it.each([['report'], ['extract'], ['budgets', 'undo', 'B1'], ['publish']])(
    'is refused by %s %s %s, which changes nothing and says what it found and what to do',
    async (...command) => {
      const product = await used();
      await lose(product);
      const before = filesOf(product);
      const { code, stderr } = await product.run(
        command.filter((one) => one !== undefined),
        { width: 1000 },
      );
      expect([code, stderr]).toEqual([2, expect.stringMatching(refusal)]);
      expect(stderr).toContain('pacekeeper restore FILE');
      expect(stderr).toContain('pacekeeper adopt');
      expect(product.amount()).toBe(51_000_000n);
      expect(filesOf(product)).toEqual(before);
    },
  );
});

const TOMORROW = '2026-11-21T12:00:00Z';
const ADOPT = ['adopt', '--why', 'it was deleted'];

describe('pacekeeper adopt', () => {
  it.each(LOSSES)(
    'continues with the published record if state.sqlite %s, and changes nothing on that day',
    async (_words, lose) => {
      const product = await createProduct();
      expect(await product.run(['report'])).toMatchObject({ code: 0 });
      const before = product.rows('SELECT * FROM budget_event');
      const decisions = product.rows('SELECT * FROM decision');
      expect(decisions.length).toBeGreaterThan(0);
      const run = readFileSync(at(product, 'runs', '1.json'), 'utf8');
      await lose(product);
      const { code, stdout, stderr } = await product.run(ADOPT, { width: 1000 });
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(
        `holds the record of budget changes from warehouse.sqlite: ${before.length} events in one unbroken chain.`,
      );
      expect(stdout).toContain(
        'Budgets stay frozen until 2026-11-20 23:00 UTC. Then every account has begun a new day.',
      );
      const [adopted, ...events] = product.rows('SELECT * FROM budget_event ORDER BY id DESC');
      expect(events.reverse()).toEqual(before);
      expect(product.rows('SELECT * FROM decision')).toEqual(decisions);
      expect(adopted).toMatchObject({ kind: 'adopted', actor: 'anna', previous_hash: before.at(-1)?.hash });
      expect(await product.run(['report'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/frozen until \S+ \S+ UTC: anna adopted the data\s+folder\.\n/),
      });
      expect(product.amount()).toBe(51_000_000n);
      expect(await product.run(['unfreeze', '--why', 'x'])).toMatchObject({ stdout: expect.stringContaining('until') });
      expect(await product.run(['budgets', 'undo', 'B1'])).toMatchObject({ code: 1 });
      expect(product.rows('SELECT id FROM run ORDER BY id')).toEqual([1, 2, 3].map((id) => ({ id })));
      expect(readFileSync(at(product, 'runs', '1.json'), 'utf8')).toBe(run);
      expect(await product.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
      product.at(TOMORROW);
      expect(await product.run(['report'])).toMatchObject({ code: 0 });
      expect(product.amount()).toBe(43_350_000n);
      expect(product.rows('SELECT id, from_micros FROM budget_intent')).toMatchObject([
        { id: 1 },
        { id: 2, from_micros: 51_000_000 },
      ]);
    },
  );

  it.each<[string, (product: Product) => unknown]>([
    ['that is damaged', (product) => damageTable(at(product, STATE), 'budget_event')],
    ['that is an older copy', (product) => cpSync(join(product.folder, 'copy.sqlite'), at(product, STATE))],
  ])('replaces a state.sqlite %s, and keeps the old file', async (_words, lose) => {
    const product = await createProduct();
    expect(await product.run(['extract'])).toMatchObject({ code: 0 });
    expect(await product.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 0 });
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    await lose(product);
    const before = readFileSync(at(product, STATE));
    expect(await product.run(ADOPT)).toMatchObject({ code: 0 });
    const kept = readFileSync(at(product, 'state-before-adopt-2026-11-20T120000Z.sqlite'));
    expect(kept.equals(before)).toBe(true);
    expect(await product.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
    expect(product.rows('SELECT id, state FROM budget_intent')).toEqual([{ id: 1, state: 'applied' }]);
  });

  it('continues from the highest run number and waits for every day on earth, if nothing was published', async () => {
    const product = await createProduct();
    product.at('2026-11-20T11:30:00Z');
    expect(await product.run(['extract'])).toMatchObject({ code: 0 });
    rmSync(at(product, STATE));
    rmSync(at(product, 'warehouse.sqlite'));
    cpSync(at(product, 'runs', '1.json'), at(product, 'runs', '7.json'));
    expect(await product.run(['report'])).toMatchObject({ code: 2, stderr: expect.stringContaining('runs/7.json') });
    const { code, stdout } = await product.run(ADOPT, { width: 1000 });
    expect([code, stdout]).toEqual([0, expect.stringContaining('The next run has the number 8.')]);
    expect(stdout).toContain('Budgets stay frozen until 2026-11-21 12:30 UTC');
    product.at('2026-11-20T12:30:00Z');
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    expect(product.amount()).toBe(60_000_000n);
    expect(existsSync(at(product, 'runs', '8.json'))).toBe(true);
  });

  it('is refused if the state file has its history, or if there is no history', async () => {
    const product = await used();
    const refused = { code: 2, stderr: expect.stringContaining('Nothing to adopt') };
    expect(await product.run(ADOPT)).toMatchObject(refused);
    rmSync(at(product), { recursive: true });
    expect(await product.run(ADOPT)).toMatchObject(refused);
    expect(existsSync(at(product, STATE))).toBe(false);
  });

  it('refuses a file with a part of the record missing', async () => {
    const product = await createProduct();
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    new Database(at(product, 'warehouse.sqlite')).exec('DROP TABLE foreign_change').close();
    rmSync(at(product, STATE));
    const { code, stderr } = await product.run(ADOPT, { width: 1000 });
    expect([code, stderr]).toEqual([2, expect.stringContaining('warehouse.sqlite: it has no table foreign_change.')]);
    expect(existsSync(at(product, STATE))).toBe(false);
  });

  it('refuses an altered record', async () => {
    const product = await createProduct();
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    const file = new Database(at(product, 'warehouse.sqlite'));
    file.exec("UPDATE budget_event SET actor = 'nobody' WHERE id = 2").close();
    rmSync(at(product, STATE));
    const { code, stderr } = await product.run(ADOPT, { width: 1000 });
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not sound: Event 2 was altered')]);
    expect(existsSync(at(product, STATE))).toBe(false);
  });
});

describe('a data folder', () => {
  it('is refused with an older state.sqlite copied in by hand, and restoring that copy freezes', async () => {
    const product = await createProduct();
    expect(await product.run(['extract'])).toMatchObject({ code: 0 });
    expect(await product.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 0 });
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    cpSync(join(product.folder, 'copy.sqlite'), at(product, STATE));
    for (const args of [['report'], ['status'], ['budgets', 'history'], ['audit', 'verify']]) {
      const { code, stderr } = await product.run(args, { width: 1000 });
      expect([args, code, stderr]).toEqual([
        args,
        2,
        expect.stringMatching(/lacks event 4 of warehouse\.sqlite. It is an older/),
      ]);
    }
    const published = readFileSync(at(product, 'warehouse.sqlite'));
    expect(await product.run(['restore', 'copy.sqlite'])).toMatchObject({
      stdout: expect.stringContaining('are frozen'),
    });
    const kept = readdirSync(at(product)).filter((name) => name.startsWith('warehouse-before-restore'));
    expect(kept.map((name) => readFileSync(at(product, name)).equals(published))).toEqual([true]);
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    expect(product.amount()).toBe(51_000_000n);
    expect(existsSync(at(product, 'runs', '3.json'))).toBe(true);
  });

  it('has a history after one scheduled run, even if its other files are lost', async () => {
    const product = await createProduct();
    const file = openScheduleFile(schedulePath(at(product)));
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    const id = claimTick(file, { job: 'morning', dueMs: 0, reason: undefined, token: 1 }, 'waiting');
    beginTick(file, id, 1, 0);
    noteRun(file, id, 1, 1);
    endTick(file, id, { state: 'done', endedMs: 1000, exitCode: 0 });
    file.close();
    for (const name of [STATE, 'warehouse.sqlite', 'runs']) rmSync(at(product, name), { recursive: true });
    const found = expect.stringContaining('the data folder was used before: found schedule.sqlite with 1 run.');
    expect(await product.run(['report'], { width: 1000 })).toMatchObject({ code: 2, stderr: found });
  });

  it('without state.sqlite is frozen by a file, and stays frozen', async () => {
    const product = await used();
    rmSync(at(product, STATE));
    const { code, stdout } = await product.run(['freeze', '--why', 'what happened?']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('freezes budgets at once')]);
    expect(existsSync(at(product, 'FREEZE'))).toBe(true);
    expect(await product.run(['unfreeze', '--why', 'x'])).toMatchObject({ code: 2 });
    expect(existsSync(at(product, STATE))).toBe(false);
  });

  it('keeps a published file of another history', async () => {
    const product = await used();
    const other = await createProduct();
    other.at(TOMORROW);
    expect(await other.run(['report'])).toMatchObject({ code: 0 });
    cpSync(at(other, 'warehouse.sqlite'), at(product, 'warehouse.sqlite'));
    const before = filesOf(product);
    const refused = { code: 2, stderr: expect.stringContaining('belongs to another folder') };
    expect(await product.run(['publish'])).toMatchObject(refused);
    expect(filesOf(product)).toEqual(before);
  });

  it('gets no changes from a run after its lock.sqlite is removed', async () => {
    const product = await createProduct();
    product.fault = (request) => {
      if (isValidation(request)) rmSync(at(product, 'lock.sqlite'));
      return undefined;
    };
    const { stdout } = await product.run(['report'], { width: 1000 });
    expect(stdout).toContain('lock.sqlite was removed');
    expect([product.amount(), product.sends()]).toEqual([60_000_000n, []]);
    product.fault = undefined;
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    expect(product.amount()).toBe(51_000_000n);
  });

  it('works after it is moved', async () => {
    const product = await createProduct();
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    cpSync(at(product), join(product.folder, 'moved'), { recursive: true });
    rmSync(at(product), { recursive: true });
    expect(await product.run(['report', '--data-dir', 'moved'])).toMatchObject({ code: 0 });
    expect(product.amount()).toBe(51_000_000n);
  });
});

it('a freeze during an adoption suggests no command that would not help', async () => {
  const used = await usedFolder();
  rmSync(used.state);
  expect(await used.run(['adopt'])).toMatchObject({ code: 0 });
  writeFileSync(used.at('data', 'FREEZE'), 'a sale');
  const { stdout } = await used.run(['report', '--no-extract']);
  expect(stdout).toContain('No budget is changed: frozen by the file FREEZE: a sale.');
  expect(stdout).not.toContain('Run pacekeeper unfreeze');
});

describe('a killed adoption', () => {
  const adopt = (used: UsedFolder, killAt: string) =>
    runCli(['adopt', '--by', 'anna'], {
      cwd: used.folder,
      env: { PACEKEEPER_NOW: NOON, NODE_OPTIONS: `--import=${KILLER}`, KILL_AT: killAt },
    });
  const emptied = async () => {
    const used = await usedFolder();
    writeFileSync(used.state, '');
    return used;
  };

  it('leaves a refused or locked folder at every moment, and never changes a budget that day', async () => {
    const { stderr } = await adopt(await emptied(), 'never');
    const moments = Number(/moments: (\d+)/.exec(stderr)?.[1]);
    expect(moments).toBeGreaterThan(0);
    for (const moment of Array.from({ length: moments }, (_, index) => index + 1)) {
      for (const side of byEffort({ quick: ['after'], thorough: ['before', 'after'] })) {
        const used = await emptied();
        expect((await adopt(used, `${side} ${moment}`)).code).toBeNull();
        const report = await used.run(['report', '--no-extract']);
        if (report.code === 2) {
          expect(report.stderr).toContain('pacekeeper adopt');
          expect(await used.run(['adopt', '--by', 'anna'])).toMatchObject({ code: 0 });
        }
        expect(await used.run(['report', '--no-extract'])).toMatchObject({ code: 0 });
        expect(used.rows("SELECT to_micros FROM budget_intent WHERE state IN ('applied', 'confirmed')")).toHaveLength(
          1,
        );
        expect(await used.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
      }
    }
  });
});
