import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MORNING, scheduleInProcess, writeConfig } from '../../schedule/schedule-in-process.ts';
import { createProduct } from '../../support/product.ts';
import { stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** A morning whose job ends with that exit code, told to the monitor at the address. */
async function morning(url: string, exitCode: number) {
  const folder = tempDir();
  writeConfig(folder, MORNING);
  const env = { HEARTBEAT_URL: url };
  await scheduleInProcess(folder, '2026-11-20T05:29:00Z', { once: true, env }).ended;
  const run = scheduleInProcess(folder, '2026-11-20T05:31:00Z', { once: true, exitCode, env });
  return { code: await run.ended, log: run.stderr() + run.stdout() };
}

it.each([
  ['its success', 0, ''],
  ['its failure', 1, '/fail'],
])('a heartbeat reports the start of a job and %s as one run', async (_, exitCode, path) => {
  const monitor = await stubServer((_request, response) => response.end('OK'));
  await morning(`${monitor.url}/ping-key/{job}`, exitCode);
  const [start, end] = monitor.requests;
  expect(monitor.requests.map(({ method, path: asked }) => `${method} ${asked.replace(/\?.*/, '')}`)).toEqual([
    'POST /ping-key/morning/start',
    `POST /ping-key/morning${path}`,
  ]);
  const key = (asked: string | undefined) => /\?rid=([0-9a-f-]{36})$/.exec(asked ?? '')?.[1];
  expect(key(start?.path)).toBe(key(end?.path));
  expect(key(start?.path)).toBeDefined();
  expect(JSON.parse(end?.body ?? '')).toEqual({
    job: 'morning',
    event: exitCode === 0 ? 'success' : 'fail',
    due_at: '2026-11-20T05:30:00Z',
    exit_code: exitCode,
    seconds: expect.any(Number),
    run_id: null,
  });
});

it.each([
  ['refuses', 'the monitor answered HTTP 503'],
  ['breaks the connection', 'did not reach the monitor: UND_ERR_SOCKET'],
])('a monitor that %s causes only a warning, without its address', async (how, words) => {
  const monitor = await stubServer((_request, response) => {
    if (how === 'refuses') response.writeHead(503).end();
    else response.destroy();
  });
  const { code, log } = await morning(`${monitor.url}/ping-key`, 0);
  expect(code).toBe(0);
  expect(log.match(/warning: The heartbeat of morning/g)).toHaveLength(2);
  expect(log).toContain(words);
  expect(log).not.toContain('ping-key');
});

it('an unreachable monitor causes a warning', async () => {
  const { code, log } = await morning('http://127.0.0.1:9/ping-key', 0);
  expect(code).toBe(0);
  expect(log).toContain('warning: The heartbeat of morning did not reach the monitor: ');
  expect(log).not.toContain('ping-key');
});

describe('a report that no schedule started', () => {
  const monitored = async (answer: Parameters<typeof stubServer>[0] = (_, response) => response.end('OK')) => {
    const monitor = await stubServer(answer);
    const product = await createProduct();
    const env = { HEARTBEAT_URL: `${monitor.url}/ping-key/{job}` };
    const told = () =>
      monitor.requests.map(({ path, body }) => {
        const { event, ...facts } = JSON.parse(body);
        return { path: path.replace(/[?]rid=.{36}$/, ''), event, exitCode: facts.exit_code };
      });
    return { monitor, product, env, told };
  };
  const STARTED = { path: '/ping-key/report/start', event: 'start', exitCode: undefined };

  it('reports its failure, if a query file is invalid', async () => {
    const { product, env, told } = await monitored();
    writeFileSync(join(product.folder, 'queries', 'broken.gaql'), 'SELECT nothing');
    expect((await product.run(['report'], { env })).code).toBe(2);
    expect(told()).toEqual([STARTED, { path: '/ping-key/report/fail', event: 'fail', exitCode: 2 }]);
  });

  it('reports its failure, if accounts could not be read', async () => {
    const { product, env, told } = await monitored();
    product.fault = ({ kind }) => (kind === 'stream' ? { kind: 'reset_before' } : undefined);
    expect((await product.run(['report'], { env })).code).toBe(1);
    expect(told()).toEqual([STARTED, { path: '/ping-key/report/fail', event: 'fail', exitCode: 1 }]);
  });

  it('reports its start and its success as one run', async () => {
    const { monitor, product, env, told } = await monitored();
    expect((await product.run(['report'], { env })).code).toBe(0);
    expect(told()).toEqual([STARTED, { path: '/ping-key/report', event: 'success', exitCode: 0 }]);
    expect(new Set(monitor.requests.map(({ path }) => path.replace(/.*rid=/, ''))).size).toBe(1);
  });

  it.each([
    ['refuses', 'the monitor answered HTTP 503'],
    ['breaks the connection', 'did not reach the monitor: UND_ERR_SOCKET'],
  ])('succeeds with a monitor that %s, with warnings that lack its address', async (how, words) => {
    const { product, env } = await monitored((_request, response) => {
      if (how === 'refuses') response.writeHead(503).end();
      else response.destroy();
    });
    const { code, stdout, stderr } = await product.run(['report', '--verbose'], { env });
    expect(code).toBe(0);
    expect(stderr.match(/warning: The heartbeat of report/g)).toHaveLength(2);
    expect(stderr).toContain(words);
    expect(stdout + stderr).not.toContain('ping-key');
  });

  it('sends no result after a stop, and nothing for a dry run', async () => {
    const { product, env, told } = await monitored();
    expect((await product.run(['report', '--dry-run'], { env })).code).toBe(0);
    expect(told()).toEqual([]);
    expect((await product.run(['report'], { env, onStop: (stop) => stop() })).code).toBe(1);
    expect(told()).toEqual([STARTED]);
  });
});

it('a report of the schedule sends its heartbeats once', async () => {
  const monitor = await stubServer((_request, response) => response.end('OK'));
  const folder = tempDir();
  writeConfig(folder, `${MORNING}heartbeat: { url: "${monitor.url}/{job}" }\n`);
  await scheduleInProcess(folder, '2026-11-20T05:29:00Z', { once: true }).ended;
  // Without queries, the report fails.
  const run = scheduleInProcess(folder, '2026-11-20T05:31:00Z', { once: true, isReal: true });
  await run.ended;
  expect(run.jobs.map(({ args }) => args[0])).toEqual(['report']);
  expect(monitor.requests.map(({ path }) => path.replace(/[?].*/, ''))).toEqual(['/morning/start', '/morning/fail']);
});
