import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lastNet } from '../../src/commands/cli/last-net.ts';
import { openLog } from '../../src/commands/cli/open-log.ts';
import { tellFailures } from '../../src/commands/cli/started-by.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { acquireRunLock } from '../../src/storage/records/sqlite/run-lock.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { fakeClock } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { NOON } from '../support/world.ts';

const SECRET = 'a-secret-token-value';

/** A log as the settings want it, and the lines that it wrote. */
async function opened(logFormat: 'text' | 'json' | undefined) {
  let text = '';
  const write = (written: string) => {
    text += written;
  };
  const output = { stdout: { write }, stderr: { write }, noColor: true };
  const log = await openLog(output, { log: { format: logFormat }, secrets: [SECRET] }, fakeClock(NOON));
  return {
    log,
    text: () => text,
    lines: () =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

describe('a structured log', () => {
  it('has one JSON object per line, with level, time and context', async () => {
    const { log, lines } = await opened('json');
    log.info('It begins.');
    log.with({ job: 'morning' }).with({ run: 7n, account: '4081725530' }).warn('A row is missing.');
    const time = '2026-11-20T12:00:00.000Z';
    expect(lines()).toEqual([
      { level: 'info', time, msg: 'It begins.' },
      { level: 'warn', time, run_id: '7', account: '4081725530', job: 'morning', msg: 'A row is missing.' },
    ]);
  });

  it.each(['json', 'text'] as const)('as %s contains no secrets and no terminal control characters', async (format) => {
    const { log, text } = await opened(format);
    const basic = Buffer.from(`user:${SECRET}`).toString('base64');
    log.with({ run: 1n }).warn(`The service said ${SECRET} and ${basic}\u001b[2J\u009b31m.`);
    expect(text()).toMatch(/\[redacted\] and /);
    for (const told of [SECRET, basic.slice(8, -4), '\u001b', '\u009b']) expect(text()).not.toContain(told);
  });

  it.each([undefined, 'text'] as const)('is text if the settings say %s', async (format) => {
    const { log, text } = await opened(format);
    log.with({ run: 1n }).warn('One thing.');
    expect(text()).toBe('warning: One thing.\n');
  });
});

describe('a command with a JSON log', () => {
  const SECRETS = ['of-the-env-file-1', 'of-the-settings-2', 'of-the-environment-3'];
  const lineOf = (stderr: string) => {
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    return JSON.parse(stderr);
  };

  it.each<[sentence: string, config: string, args: string[], told: Readonly<Record<string, unknown>>]>([
    [
      'an unknown option',
      'log: { format: json }',
      ['report', '--colour'],
      { msg: "unknown option '--colour'", next_step: 'Add --help to see the options of the command.' },
    ],
    [
      'an unknown command, with the nearest name',
      'log: { format: json }',
      ['freez'],
      {
        msg: "unknown command 'freez'\n(Did you mean freeze?)",
        next_step: 'Add --help to see the options of the command.',
      },
    ],
    [
      'invalid settings, with a code frame',
      'log: { format: json }\nschedule: 7\n',
      ['report'],
      { msg: expect.stringMatching(/pacekeeper\.yaml:2:11(.|\n)*\^/), next_step: expect.any(String) },
    ],
    [
      'a folder in use by a run',
      'log: { format: json }',
      ['publish'],
      { msg: expect.stringMatching(/data is in use by/), next_step: expect.stringMatching(/^Wait until/) },
    ],
  ])('reports %s in one line', async (_sentence, config, args, told) => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), config);
    await (await openState(join(folder, 'data', 'state.sqlite'))).close();
    const lock = acquireRunLock(join(folder, 'data'), 'pacekeeper report', '2026-11-20T12:00:00Z');
    const { stderr } = await runInProcess(args, { folder, env: { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' } });
    if (lock.kind === 'acquired') lock.release();
    expect(lineOf(stderr)).toEqual({ level: 'error', time: expect.stringMatching(/^2026-11-20T12:00:0/), ...told });
  });

  it('reports errors without secrets of any source, with valid and invalid settings', async () => {
    const folder = tempDir();
    const [ofEnvFile, ofSettings, ofEnvironment] = SECRETS;
    writeFileSync(join(folder, '.env'), `ADS_DEVELOPER_TOKEN=${ofEnvFile}\n`);
    // A half character, and a flow that is never closed.
    const broken = `graph: { app_secret: "\\ud800-half" }\nmessages: { password: "${ofSettings}"\nlog: { format: json`;
    writeFileSync(join(folder, 'pacekeeper.yaml'), broken);
    const process = {
      folder,
      userName: undefined,
      exit: () => undefined,
      onStop: () => undefined,
      env: { GRAPH_ACCESS_TOKEN: ofEnvironment },
      runBeside: () => ({ ended: Promise.resolve(null), stop: () => undefined }),
      readBeside: async () => ({ exitCode: null, text: '' }),
    };
    for (const logFormat of ['json', 'text']) {
      let told = '';
      const stderr = { write: (text: string) => (told += text) };
      const code = await lastNet(
        new Error(`It said ${SECRETS.join(', ')}.`),
        { name: 'report', options: {}, said: [], nextStep: '' },
        {
          ...process,
          env: { ...process.env, PACEKEEPER_LOG: logFormat },
          output: { stdout: stderr, stderr, noColor: true },
        },
      );
      expect(code).toBe(1);
      expect(told).toContain('It said [redacted], [redacted], [redacted].');
      for (const secret of SECRETS) expect(told).not.toContain(secret);
    }
  });
});

describe('a command of the schedule', () => {
  it('writes text as the schedule does, each line with its time', async () => {
    const env = { PACEKEEPER_TICK: '1.1', PACEKEEPER_LOG: 'text', PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };
    const { stderr } = await runInProcess(['publish'], { env });
    expect(stderr).toMatch(/^2026-11-20T12:00:0\d\.\d{3}Z error: .*\n2026-11-20T12:00:0\d\.\d{3}Z next step: /);
  });

  it.each<[sentence: string, env: Readonly<Record<string, string>>, columns: number | undefined, told: number]>([
    ['of the schedule logs failures', { PACEKEEPER_TICK: '1.1' }, undefined, 1],
    ['with a JSON log logs failures, too', { PACEKEEPER_LOG: 'json' }, undefined, 1],
    ['with a JSON log on a terminal shows failures only in the result', { PACEKEEPER_LOG: 'json' }, 80, 0],
    ['on a terminal shows failures only in the result', {}, undefined, 0],
  ])('%s', async (_sentence, env, columns, told) => {
    const { log, text } = await opened('text');
    const write = () => undefined;
    const output = { stdout: { write, isTTY: columns !== undefined }, stderr: { write }, noColor: true };
    const logFormat = env.PACEKEEPER_LOG === 'json' ? 'json' : undefined;
    tellFailures({ env, output }, { log: { format: logFormat } }, log, ['One thing failed.']);
    expect(text()).toBe('warning: One thing failed.\n'.repeat(told));
  });
});
