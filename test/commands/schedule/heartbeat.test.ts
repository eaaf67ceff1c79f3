import { expect, it } from 'vitest';
import { MORNING, scheduleInProcess, writeConfig } from '../../schedule/schedule-in-process.ts';
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
