import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pageWorkerSource } from '../../../src/commands/serve/page-worker-source.ts';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { sample } from '../../support/effort.ts';
import { fillHostileState } from '../../support/hostile-state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';
import { serveInProcess } from './serve-in-process.ts';

const BUILT = new URL('../../../dist/page-worker.js', import.meta.url);

function settingsIn(folder: string) {
  return settingsFrom(folder, {}, { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' }, '');
}

function workerIn(
  folder: string,
  program = BUILT,
  pause?: () => Promise<void>,
  takes: Parameters<typeof pageWorkerSource>[3] = ['any'],
) {
  const source = pageWorkerSource(program, settingsIn(folder), pause, takes);
  onTestFinished(() => source.close());
  return source;
}

/** A thread that does what the text says with each order. */
function programOf(text: string): URL {
  const path = join(tempDir(), 'worker.mjs');
  writeFileSync(
    path,
    `import { parentPort } from 'node:worker_threads';\nparentPort.on('message', (order) => { ${text} });\n`,
  );
  return pathToFileURL(path);
}

const PAGE = { path: '/runs', query: '', role: 'viewer' } as const;

/** Answers with the number of the order. */
const ANSWER = `parentPort.postMessage({ id: order.id, answer: { kind: 'done', value:
  order.work.job === 'schedule' ? String(order.id) : { status: 200, html: String(order.id) } } });`;

it('makes a back-test in a thread of its own, one at a time, and other pages meanwhile', async () => {
  const stuck = programOf(`if (order.work.asked.query === '') { ${ANSWER} }`);
  let giveUp = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  const source = workerIn(tempDir(), stuck, () => late, ['any', 'long']);
  const tests = ['backtest=28', 'backtest=90'].map((query) => source.render({ ...PAGE, path: '/rules/cut', query }));
  const ends = Promise.allSettled(tests);
  for (const path of ['/rules', '/rules/cut', '/runs']) {
    expect(await source.render({ ...PAGE, path })).toMatchObject({ status: 200 });
  }
  giveUp();
  const reason = expect.objectContaining({ message: expect.stringContaining('more than 30 seconds') });
  expect(await ends).toEqual(tests.map(() => ({ status: 'rejected', reason })));
});

describe('pacekeeper serve', () => {
  it('shows pages and metrics to a new token until it is revoked, without a restart', async () => {
    const folder = tempDir();
    await fillHostileState(join(folder, 'data', 'state.sqlite'));
    const served = await serveInProcess(folder, { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' });
    expect(served.stderr()).toContain('No dashboard: no token exists. Run pacekeeper serve token to create one.');
    const { address } = served.ready;
    expect((await fetch(`${address}/`)).status).toBe(404);
    const { stdout } = await runInProcess(['serve', 'token'], { folder });
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    const page = await fetch(`${address}/inbox`, { headers });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('7K3A')]);
    expect(await (await fetch(`${address}/metrics`, { headers })).text()).toContain('pacekeeper_proposals_open 1\n');
    expect(await (await fetch(`${address}/health`)).json()).toMatchObject({ ok: true, waiting: 0, schedule: 'none' });
    await runInProcess(['serve', 'token', '--revoke', 'default'], { folder });
    expect((await fetch(`${address}/inbox`, { headers })).status).toBe(404);
    expect(served.stderr()).not.toContain(stdout.trim());
    expect(await served.stop()).toBe(0);
  });
});

describe('pacekeeper serve with an unreadable token file', () => {
  it.each(
    sample<[sentence: string, spoil: (path: string) => void]>([
      ['half a list', (path) => writeFileSync(path, '[{')],
      ['a folder', (path) => mkdirSync(path)],
    ]),
  )('receives webhooks, reports why there are no pages, and stops on request: %s', async (_sentence, spoil) => {
    const folder = tempDir();
    mkdirSync(join(folder, 'data'));
    spoil(join(folder, 'data', 'serve-tokens.json'));
    const served = await serveInProcess(folder, {});
    expect(served.stderr()).toMatch(/No dashboard: .*serve-tokens\.json/);
    const { address } = served.ready;
    expect((await fetch(`${address}/`)).status).toBe(503);
    expect(await (await fetch(`${address}/health`)).json()).toMatchObject({ ok: true, waiting: 0 });
    expect(await served.stop()).toBe(0);
    await expect(fetch(address)).rejects.toThrow();
  });
});

describe('the thread that makes pages', () => {
  it('makes pages and metrics from the built program', async () => {
    const folder = tempDir();
    await fillHostileState(join(folder, 'data', 'state.sqlite'));
    const source = workerIn(folder);
    const [health, runs, nothing, measures] = await Promise.all([
      source.schedule(),
      source.render(PAGE),
      source.render({ path: '/runs/999', query: '', role: 'viewer' }),
      source.measure(),
    ]);
    expect([health, runs.status, nothing.status]).toEqual(['none', 200, 404]);
    expect(runs.html).toContain('runs?before=11');
    expect(measures.find(({ name }) => name === 'pacekeeper_rows_read')?.samples).toEqual([
      { labels: {}, value: 74_040 },
    ]);
  });

  it('reports its failure, and makes the next page', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'data', 'state.sqlite'), { recursive: true });
    const source = workerIn(folder);
    await expect(source.measure()).rejects.toThrow(/state\.sqlite is a folder\./);
    expect((await source.render(PAGE)).status).toBe(503);
  });

  it.each(
    sample<[sentence: string, program: string, words: RegExp]>([
      ['ends', 'process.exit(3)', /The thread that makes pages stopped\./],
      ['fails', 'throw new Error("out of memory")', /The thread that makes pages stopped: out of memory/],
    ]),
  )('that %s fails all waiting requests, and the next page gets a new thread', async (_sentence, program, words) => {
    const source = workerIn(tempDir(), programOf(program));
    const waiting = await Promise.allSettled([source.render(PAGE), source.measure()]);
    for (const one of waiting)
      expect(one).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(words) } });
    await expect(source.render(PAGE)).rejects.toThrow(words);
  });

  it('lets at most 500 requests wait, and none when the server stops', async () => {
    const source = workerIn(tempDir(), programOf(''));
    // One is begun, and 500 wait.
    const waiting = Array.from({ length: 501 }, (_, run) =>
      source.render({ path: `/runs/${run}`, query: '', role: 'viewer' }),
    );
    await expect(source.render(PAGE)).rejects.toThrow('500 pages are already waiting.');
    const ended = Promise.allSettled(waiting);
    await source.close();
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
    await expect(source.render(PAGE)).rejects.toThrow('The server is stopping.');
  });

  it('serves acts and health checks before the waiting pages of viewers', async () => {
    const order: string[] = [];
    const source = workerIn(tempDir(), programOf(ANSWER));
    const note = (name: string) => () => void order.push(name);
    await Promise.all([
      source.render({ ...PAGE, query: 'first' }).then(note('begun')),
      source.render({ ...PAGE, query: 'second' }).then(note('page')),
      source.picture(customerId('1234567890')).then(note('picture')),
      source.render({ ...PAGE, path: '/inbox', role: 'approver', form: 'proof' }).then(note('confirmation')),
      source.effect({ act: 'freeze', on: '' }).then(note('effect'), note('effect')),
      source.live().then(note('live')),
      source.schedule().then(note('health')),
    ]);
    expect(order).toEqual(['begun', 'confirmation', 'effect', 'live', 'health', 'page', 'picture']);
  });

  it('has others beside it, and one that no page occupies', async () => {
    const program = programOf(`if (order.work.job !== 'render') ${ANSWER}`);
    const source = workerIn(tempDir(), program, undefined, ['any', 'any', 'urgent']);
    const pages = ['first', 'second', 'third'].map((query) => source.render({ ...PAGE, query }));
    const ended = Promise.allSettled(pages);
    // Two pages are begun for good, and the third waits.
    expect([await source.schedule(), await source.schedule()]).toEqual(['3', '4']);
    await source.close();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('is stopped when a page takes too long, and a new thread makes the waiting pages', async () => {
    const retryBudget: (() => void)[] = [];
    const pause = () => new Promise<void>((over) => retryBudget.push(over));
    const program = programOf(`if (order.work.asked?.path !== '/slow') ${ANSWER}`);
    const source = workerIn(tempDir(), program, pause);
    const [slow, ...quick] = ['/slow', '/runs', '/alerts'].map((path) =>
      source.render({ path, query: '', role: 'viewer' }),
    );
    expect(retryBudget, 'nobody’s time runs while he waits').toHaveLength(1);
    retryBudget[0]?.();
    await expect(slow).rejects.toThrow('A page took more than 30 seconds.');
    expect((await Promise.all(quick)).map(({ html }) => html)).toEqual(['2', '3']);
  });

  it('makes a page once for several waiting requests, and again for later ones', async () => {
    const source = workerIn(tempDir(), programOf(ANSWER));
    const pages = await Promise.all(Array.from({ length: 30 }, () => source.render(PAGE)));
    expect(pages.map(({ html }) => html)).toEqual(['1', ...Array(29).fill('2')]);
    const states = await Promise.all(Array.from({ length: 30 }, () => source.schedule()));
    expect(states).toEqual(['3', ...Array(29).fill('4')]);
  });
});
