import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, vi } from 'vitest';
import { NO_DATA } from '../../src/dashboard/agents/data-standing.ts';
import type { ExploreSource } from '../../src/dashboard/explore/explore-source.ts';
import { addToken, type NamedRole, tokensInFile, tokensPath } from '../../src/dashboard/server/access-tokens.ts';
import type { RunAct } from '../../src/dashboard/server/act-route.ts';
import { type PageOptions, type ServerOptions, startServer } from '../../src/dashboard/server/start-server.ts';
import type { PageRequest, PageSource } from '../../src/dashboard/status/page-source.ts';
import { type FakeClock, fakeClock } from '../support/fake-time.ts';
import { toldLog } from '../support/told-log.ts';
import { NOON } from '../support/world.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Servers of pages that a test makes up, one per kind of options and file; tokens, clock and log are new for each test. */
export interface StatusServer {
  readonly address: string;
  readonly clock: FakeClock;
  readonly log: string[];
  readonly tokensPath: string;
  /** What was asked of the pages. */
  readonly asked: PageRequest[];
  /** A token that is right, called anna. */
  token(): string;
  send(path: string, init?: RequestInit): Promise<Answer>;
  /** The form, as a page of ours sends it. */
  logIn(
    token: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Logs in with a new token, and answers with what the browser sends from then on. */
  session(named?: NamedRole): Promise<string>;
  close(): Promise<void>;
}

export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** The plugin that counts wrong tokens asks `Date`. */
function clockOfAll(): FakeClock {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOON) });
  const clock = fakeClock(NOON);
  return {
    ...clock,
    set(instant) {
      clock.set(instant);
      vi.setSystemTime(instant);
    },
  };
}

export async function statusServer(
  options: Partial<ServerOptions> & {
    readonly source?: Partial<PageSource>;
    readonly explore?: ExploreSource;
    readonly linkRows?: ExploreSource;
    readonly agents?: PageOptions['agents'];
    readonly runAct?: RunAct;
    readonly pause?: PageOptions['pause'];
    readonly hasKit?: boolean;
  } = {},
): Promise<StatusServer> {
  const {
    source,
    explore,
    linkRows,
    agents,
    pause,
    hasKit,
    runAct = async () => ({ exitCode: 0, text: 'Done.' }),
    ...serverOptions
  } = options;
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
  const clock = clockOfAll();
  const log: string[] = [];
  const asked: PageRequest[] = [];
  const path = tokensPath(folder);
  let seconds = 0;
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    log: toldLog({ info: (text) => log.push(text), warn: (text) => log.push(text) }),
    secrets: {},
    keep: async () => undefined,
    countWaiting: async () => 0,
    pages: {
      tokens: tokensInFile(path),
      nowMs: () => clock.now(),
      explore,
      linkRows,
      agents,
      runAct,
      hasKit,
      pause: pause ?? (async (stop) => void (await once(stop, 'abort'))),
      source: {
        render: async (request) => {
          asked.push(request);
          return { status: 200, html: '<!DOCTYPE html><title>A page</title>' };
        },
        live: async () => undefined,
        measure: async () => [
          { name: 'pacekeeper_runs', help: 'Runs.', samples: [{ labels: { state: 'done' }, value: 3 }] },
          { name: 'pacekeeper_schedule_last_ok', help: 'Of no job yet.', samples: [] },
        ],
        picture: async () => undefined,
        effect: async () => ({ kind: 'gone', reason: 'There is nothing to decide.' }),
        saveModel: async () => ({ kind: 'saved' }),
        question: async () => undefined,
        readLink: async () => ({ kind: 'refused', status: 404, problem: 'No such link' }),
        keepQuestion: async () => ({ kind: 'kept', id: '1' }),
        dataStanding: async () => NO_DATA,
        checkSelect: async () => ({ kind: 'refused', refused: { code: 'NOTHING_PUBLISHED', reason: 'None.' } }),
        noteCall: async () => ({ kind: 'ended' }),
        schedule: async () => 'running',
        close: async () => undefined,
        ...source,
      },
    },
    ...serverOptions,
  });
  afterAll(async () => {
    // Files share a process.
    vi.useRealTimers();
    await server.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    rmSync(path, { force: true, recursive: true });
    log.length = 0;
    asked.length = 0;
    // A minute and more later nobody's wrong tokens count any more.
    seconds += 120;
    clock.set(new Date(Date.parse(NOON) + seconds * 1000).toISOString());
  });
  const { address } = server;
  const send: StatusServer['send'] = async (to, init) => {
    const answer = await fetch(address + to, { redirect: 'manual', ...init });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  const ANNA: NamedRole = { name: 'anna', role: 'viewer' };
  const logIn: StatusServer['logIn'] = (shown, fields = {}, headers = SAME_ORIGIN) =>
    send('/login', { method: 'POST', body: new URLSearchParams({ token: shown, ...fields }), headers });
  return {
    address,
    clock,
    log,
    asked,
    tokensPath: path,
    send,
    token: () => addToken(path, ANNA, NOON),
    logIn,
    close: () => server.close(),
    async session(named = ANNA) {
      const answer = await logIn(addToken(path, named, NOON));
      return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    },
  };
}
