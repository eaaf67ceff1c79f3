import { existsSync } from 'node:fs';
import { join } from 'node:path';
import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { open } from '../src/app.ts';
import { readSettings } from '../src/config/read-settings.ts';
import { BusyError } from '../src/domain/errors.ts';
import type { App } from '../src/engine/app.ts';
import { SERVE } from '../src/engine/folder/take-folder.ts';
import { pastRuns } from '../src/storage/records/runs/run-history.ts';
import { openState } from '../src/storage/records/sqlite/open-state.ts';
import { acquireRunLock } from '../src/storage/records/sqlite/run-lock.ts';
import { runInProcess } from './commands/run-in-process.ts';
import { sample } from './support/effort.ts';
import { fakeClock, fakePauses } from './support/fake-time.ts';
import { stubServer } from './support/stub-server.ts';
import { tempDir } from './support/temp-dir.ts';
import { toldLog } from './support/told-log.ts';

const deps = { clock: fakeClock('2026-11-20T12:00:00Z'), log: toldLog() };

async function settingsOf(dataDir: string) {
  return readSettings(tempDir(), { dataDir }, {});
}

describe('a job that needs only the databases', () => {
  it('fails if nothing was read yet, and leaves no folder behind', async () => {
    const dataDir = join(tempDir(), 'data');
    const job = open(await settingsOf(dataDir), deps, { what: 'state', lock: 'a test' }, async () => 1);
    await expect(job).rejects.toThrow('state.sqlite. No run has read data yet.');
    expect(existsSync(dataDir)).toBe(false);
  });

  it('locks the data folder until it ends or fails', async () => {
    const dataDir = tempDir();
    await (await openState(join(dataDir, 'state.sqlite'))).close();
    const settings = await settingsOf(dataDir);
    const failing = open(settings, deps, { what: 'state', lock: 'the first' }, async () => {
      const second = open(settings, deps, { what: 'state', lock: 'the second' }, async () => 2);
      await expect(second).rejects.toThrow(/ is in use by the first, process /);
      throw new Error('wrong');
    });
    await expect(failing).rejects.toThrow('wrong');
    const count = await open(settings, deps, { what: 'state', lock: 'the third' }, ({ state }) =>
      pastRuns(state.db, { limit: 1 }),
    );
    expect(count).toEqual([]);
  });
});

describe('a run with the data folder in use', () => {
  it('waits while an answer from a phone is handled, then gets the folder', async () => {
    const settings = await settingsOf(tempDir());
    const answering = acquireRunLock(settings.paths.data, SERVE, '2026-11-20T12:00:00Z');
    const pauses = fakePauses();
    const pause = async (milliseconds: number) => {
      await pauses.pause(milliseconds);
      if (pauses.taken.length === 2 && answering.kind === 'acquired') answering.release();
    };
    const all = { ...deps, pauses: { ...pauses, pause } };
    expect(await open(settings, all, { what: 'all', lock: 'pacekeeper report' }, async () => 1)).toBe(1);
    expect(pauses.taken).toEqual([2000, 2000]);
  });

  it.each(
    sample([
      ['another run holds the folder', 'pacekeeper report', 'pacekeeper report', 0],
      ['an answer takes more than two minutes', SERVE, 'pacekeeper report', 120_000],
      ['both handle answers, which are retried anyway', SERVE, SERVE, 0],
    ]),
  )('gives up when %s', async (_sentence, holder, command, waitedMs) => {
    const settings = await settingsOf(tempDir());
    const held = acquireRunLock(settings.paths.data, holder, '2026-11-20T12:00:00Z');
    let elapsedMs = 0;
    const pause = async () => {
      elapsedMs += 60_000;
    };
    const pauses = { elapsedMs: () => elapsedMs, pause };
    const refused = open(settings, { ...deps, pauses }, { what: 'all', lock: command }, async () => 1);
    await expect(refused).rejects.toThrow(`${settings.paths.data} is in use by ${holder}, process`);
    if (held.kind === 'acquired') held.release();
    expect(elapsedMs).toBe(waitedMs);
  });
});

describe('a run with --wait for the data folder', () => {
  async function waiting(waitMs: number, onPause: (pauses: number, release: () => void) => void, stop?: AbortSignal) {
    const settings = await settingsOf(tempDir());
    const held = acquireRunLock(settings.paths.data, 'pacekeeper report', '2026-11-20T12:00:00Z');
    const release = () => void (held.kind === 'acquired' && held.release());
    const pauses = fakePauses();
    const pause = async (milliseconds: number) => {
      await pauses.pause(milliseconds);
      onPause(pauses.taken.length, release);
    };
    const told: string[] = [];
    const log = toldLog({ info: (line) => told.push(line) });
    const all = { ...deps, log, pauses: { ...pauses, pause }, waitMs, ...(stop && { stop }) };
    const outcome = await open(settings, all, { what: 'all', lock: 'pacekeeper extract' }, async () => 'done').catch(
      (error) => (error instanceof BusyError ? 'busy' : Promise.reject(error)),
    );
    release();
    return { outcome, told, pauses: pauses.taken };
  }

  it('waits for another run, says so once, then gets the folder', async () => {
    const { outcome, told, pauses } = await waiting(60_000, (count, release) => count === 3 && release());
    expect(outcome).toBe('done');
    expect(pauses).toHaveLength(3);
    expect(told).toEqual([
      expect.stringMatching(/ is in use by pacekeeper report, process .*: waiting for it to end\.$/),
    ]);
  });

  it('waits no longer than the given time', async () => {
    const { outcome, pauses } = await waiting(5000, () => undefined);
    expect(outcome).toBe('busy');
    expect(pauses).toEqual([2000, 2000, 1000]);
  });

  it('stops waiting when asked to stop', async () => {
    const asked = new AbortController();
    const { outcome, pauses } = await waiting(60_000, () => asked.abort(), asked.signal);
    expect(outcome).toBe('busy');
    expect(pauses).toHaveLength(1);
  });

  it.each(sample(['soon', '30', '0m', '25h', '-1m']))('refuses --wait %s and says what is allowed', async (wait) => {
    const { code, stderr } = await runInProcess(['report', `--wait=${wait}`]);
    expect(code).toBe(2);
    expect(stderr).toContain('30s, 30m or 2h, at most 24 hours');
  });
});

describe('a job on the embedded sandbox', () => {
  it('uses the configured port when it runs alone, and any free port during a run', async () => {
    const taken = await stubServer((_, response) => response.writeHead(404).end());
    const port = Number(new URL(taken.url).port);
    const settings = await settingsOf(tempDir());
    const fixed = { ...settings, sandbox: { ...settings.sandbox, port } };
    const job = async ({ ads }: Pick<App, 'ads'>) => ads?.url;
    const all = { ...deps, pauses: fakePauses() };
    expect(await open(fixed, all, { what: 'all' }, job)).toMatch(/^http:/);
    expect(await open(fixed, all, { what: 'areas' }, job)).toMatch(/^http:/);
    await expect(open(fixed, all, { what: 'all', lock: 'a test' }, job)).rejects.toThrow(String(port));
  });

  it('reports messages to the server of this machine, signed with its secret, before the sandbox ends', async () => {
    const receiver = await stubServer((_, response) => response.writeHead(200).end());
    const environment = { SERVE_PUBLIC_URL: receiver.url, MESSAGES_PASSWORD: 'own-token' };
    const settings = await readSettings(tempDir(), { dataDir: tempDir() }, environment);
    await open(settings, { ...deps, pauses: fakePauses() }, { what: 'areas' }, async ({ messages }) => {
      const { url, accountId, username, password, from } = messages ?? expect.fail('No messaging interface.');
      const response = await fetch(`${url}/2010-04-01/Accounts/${accountId}/Messages.json`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
        body: new URLSearchParams({ From: from, To: 'whatsapp:+15550100002', Body: 'hello' }),
      });
      expect(response.status).toBe(201);
    });
    const forms = receiver.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(forms.map(({ MessageStatus }) => MessageStatus)).toEqual(['sent', 'delivered']);
    const signature = String(receiver.requests[0]?.headers['x-twilio-signature']);
    const url = `${receiver.url}/webhooks/messages`;
    expect(twilio.validateRequest('own-token', signature, url, forms[0] ?? {})).toBe(true);
  });
});
