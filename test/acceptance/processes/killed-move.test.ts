import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { databaseAddress } from '../../../src/storage/records/postgres/address.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { everyNth } from '../../support/effort.ts';
import { contentOf } from '../../support/moved-content.ts';
import { describePostgres, freshDatabase } from '../../support/postgres-server.ts';
import { runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIMMED } from '../../support/trim-rule.ts';
import { usedFolder } from '../../support/used-folder.ts';
import { APPLY, createWorld, NOON, type World } from '../../support/world.ts';

const TO_DATABASE = ['migrate-store', '--from', 'data', '--to', 'env:OTHER_STORE'];
const TO_FILES = ['migrate-store', '--from', 'env:OTHER_STORE', '--to', 'data'];

interface Scene {
  readonly folder: string;
  readonly url: string;
}

async function copyOf(base: Scene): Promise<Scene> {
  const folder = tempDir();
  const url = await freshDatabase(base.url);
  cpSync(base.folder, folder, { recursive: true });
  // The copy belongs to the copy of the database.
  const store = join(folder, 'data', 'store.txt');
  if (existsSync(store)) writeFileSync(store, `${databaseAddress(url)}\n`);
  return { folder, url };
}

/** Kills the command at every so many moments, each in a copy of its own, and gives it again. */
async function killAndGoOn(base: Scene, command: readonly string[], killer: string, nth: number): Promise<number> {
  const preload = `--import=${pathToFileURL(resolve('test/support', killer)).href}`;
  const run = ({ folder, url }: Scene, killAt: string) =>
    runCli(command, {
      cwd: folder,
      env: { NODE_OPTIONS: preload, KILL_AT: killAt, KILL_PORT: new URL(url).port, OTHER_STORE: url },
    });
  const cli = ({ folder, url }: Scene, args: readonly string[]) =>
    runInProcess(args, { folder, env: { OTHER_STORE: url, PACEKEEPER_NOW: NOON } });

  const { code, stderr } = await run(await copyOf(base), 'never');
  expect(code).toBe(0);
  const counted = /moments: (\d+)/.exec(stderr)?.[1];
  const steps = counted ?? (JSON.parse(/steps: (.*)/.exec(stderr)?.[1] ?? '[]') as unknown[]).length;
  const moments = everyNth(
    nth,
    Array.from({ length: Number(steps) }, (_, index) => index + 1),
  );
  for (const moment of moments) {
    const scene = await copyOf(base);
    const at = `killed at ${moment} of ${steps}`;
    const killAt = counted === undefined ? String(moment) : `after ${moment}`;
    expect((await run(scene, killAt)).code, at).toBeNull();
    const again = await cli(scene, command);
    // Only the last moments leave nothing to do.
    if (again.code !== 0) expect([again.code, again.stderr], at).toEqual([2, expect.stringMatching(/are in|moved to/)]);
    if (command === TO_DATABASE) expect(await cli(scene, TO_FILES), at).toMatchObject({ code: 0 });
    const state = join(scene.folder, 'data', 'state.sqlite');
    const first = existsSync(join(base.folder, 'data', 'state.sqlite')) ? base.folder : `${base.folder}/original`;
    expect(contentOf(state), at).toEqual(contentOf(join(first, 'data', 'state.sqlite')));
    expect(await cli(scene, ['audit', 'verify', '--offline']), at).toMatchObject({ code: 0 });
  }
  return moments.length;
}

describePostgres('a move whose process is killed', () => {
  it('at commits to the database goes on there', async () => {
    const { folder } = await usedFolder();
    const base = { folder, url: await freshDatabase() };
    expect(await killAndGoOn(base, TO_DATABASE, 'kill-at-commit.mjs', 12)).toBeGreaterThan(1);
  }, 600_000);

  it('at steps on the files goes on there', async () => {
    const { folder } = await usedFolder();
    const base = { folder, url: await freshDatabase() };
    cpSync(join(folder, 'data'), join(folder, 'original', 'data'), { recursive: true });
    const moved = await runInProcess(TO_DATABASE, { folder, env: { OTHER_STORE: base.url } });
    expect(moved).toMatchObject({ code: 0 });
    expect(await killAndGoOn(base, TO_FILES, 'kill-at-step.mjs', 120)).toBeGreaterThan(0);
  }, 600_000);
});

const CONFIG = `${APPLY}extract: { concurrency: 1 }\n`;
const ONE_CAMPAIGN = `\n  AND campaign.name = '${TRIMMED.campaignName}'`;
const QUERIES = Object.fromEntries(
  ['campaign', 'campaign_budget', 'campaign_spend', 'keyword_stats'].map((name) => [
    `${name}.sql`,
    readFileSync(`queries/${name}.sql`, 'utf8').trimEnd() + (name === 'keyword_stats' ? ONE_CAMPAIGN : ''),
  ]),
);
/** Random references, and addresses with a port. */
const OWN = [
  'message.reference',
  'message.text',
  'message.provider_id',
  'message.response',
  'run.target',
  'target.identity',
];

describePostgres('runs between moves', () => {
  it('do the same as on a store that stayed where it was', async () => {
    const url = await freshDatabase();
    const worlds = [
      await createWorld({ config: CONFIG, queries: QUERIES }),
      await createWorld({ config: CONFIG, queries: QUERIES }),
    ] as const;
    const [stayed, moved] = worlds;
    const report = async (world: World, now: string) => {
      world.clock.set(now);
      expect((await world.report({ customers: [] })).failures).toEqual([]);
    };
    const move = async (from: string, to: string) => {
      const args = ['migrate-store', '--from', from, '--to', to];
      expect(await runInProcess(args, { folder: tempDir(), env: { OTHER_STORE: url } })).toMatchObject({ code: 0 });
    };
    for (const world of worlds) await report(world, NOON);
    await move(moved.dataDir, 'env:OTHER_STORE');
    await moved.reconfigure(`${CONFIG}store: { url: '${url}' }\n`);
    for (const world of worlds) await report(world, '2026-11-21T12:00:00Z');
    // Identical chunks are recognised: their rows keep their numbers.
    for (const world of worlds) await report(world, '2026-11-21T12:30:00Z');
    await move('env:OTHER_STORE', moved.dataDir);
    await moved.reconfigure(CONFIG);
    for (const world of worlds) await report(world, '2026-11-22T12:00:00Z');
    const [expected, found] = worlds.map(({ dataDir }) => contentOf(join(dataDir, 'state.sqlite'), OWN));
    expect(found).toEqual(expected);
    const published = worlds.map((world) => world.rows('warehouse', 'SELECT * FROM campaign_spend'));
    expect(published[1]).toEqual(published[0]);
    expect(stayed.rows('state', "SELECT 1 FROM budget_event WHERE kind = 'applied'").length).toBeGreaterThan(0);
  });
});
