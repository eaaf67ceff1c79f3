import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { NO_DATA } from '../../src/dashboard/agents/data-standing.ts';
import { ACTS } from '../../src/dashboard/inbox/acts.ts';
import { addToken } from '../../src/dashboard/server/access-tokens.ts';
import { AGENTS_PATH, LIVE_PATH, METRICS_PATH, PAGES } from '../../src/domain/pages.ts';
import { may, RIGHTS, ROLES, type Role } from '../../src/domain/role.ts';
import { NOON } from '../support/world.ts';
import { SAME_ORIGIN, statusServer } from './status-server.ts';

const done: string[] = [];
const settings = await readSettings('test', {}, {});
const server = await statusServer({
  agents: {
    settings,
    source: {
      dataStanding: async () => NO_DATA,
      checkSelect: async () => ({ kind: 'refused', refused: { code: 'NOTHING_PUBLISHED', reason: 'None.' } }),
      noteCall: async () => ({ kind: 'begun', row: '1' }),
    },
    explore: undefined,
    version: '0.0.0',
    runCommand: async ([command = '']) => {
      done.push(command);
      return { exitCode: 0, text: '', stdout: '{ "rules": [] }' };
    },
  },
  hasKit: true,
  runAct: async ([act = '']) => {
    done.push(act === 'serve' ? 'share_link' : act);
    return { exitCode: 0, text: 'Done.' };
  },
  source: {
    render: async ({ form = '' }) => ({ status: 200, html: `form:${form}:` }),
    effect: async ({ act }) => ({ kind: 'possible', change: { words: 'It changes.' }, seen: 'S', command: [act] }),
    keepQuestion: async ({ act }) => {
      done.push(act);
      return { kind: 'kept', id: '1' };
    },
    saveModel: async () => {
      done.push('save_model');
      return { kind: 'saved' };
    },
  },
  explore: {
    look: async () => ({ kind: 'rows', columns: ['x'], rows: [['1']], count: 1, isWhole: true }),
    download: async () => ({ kind: 'refused', problems: [] }),
    close: () => undefined,
  },
});

const ON = { approve: 'K7PX', reject: 'K7PX', undo: 'B12', freeze: '', unfreeze: '', silence: 'A7', acknowledge: 'A7' };

type Headers = Readonly<Record<string, string>>;

async function sendForm(path: string, query: Headers, more: Headers, headers: Headers): Promise<number> {
  const page = await server.send(`${path}?${new URLSearchParams(query)}`, { headers });
  const form = /form:(.*):/.exec(page.body)?.[1] ?? '';
  const body = new URLSearchParams({ ...query, ...more, form, seen: 'S', why: 'agreed' });
  return (await server.send(path, { method: 'POST', body, headers })).status;
}

async function callTool(bearer: Headers): Promise<number> {
  const accept = 'application/json, text/event-stream';
  const call = { method: 'tools/call', params: { name: 'rules', arguments: {} } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call });
  const headers = { 'content-type': 'application/json', accept, ...bearer };
  return (await server.send(AGENTS_PATH, { method: 'POST', body, headers })).status;
}

const ids = (path: string) => path.replaceAll(/:\w+/g, '7');

/** By right, what a request that needs it is answered. */
async function answersTo(headers: Headers, bearer: Headers): Promise<Record<string, number | readonly number[]>> {
  const looks = Object.values(PAGES).map(async ({ path }) => (await server.send(ids(path), { headers })).status);
  const stop = new AbortController();
  const live = await fetch(server.address + LIVE_PATH, { headers, signal: stop.signal });
  stop.abort();
  const metrics = await server.send(METRICS_PATH, { headers: bearer });
  const answers: Record<string, number | readonly number[]> = {
    look: [...new Set([...(await Promise.all(looks)), live.status, metrics.status])],
  };
  for (const act of Object.keys(ACTS) as (keyof typeof ACTS)[]) {
    answers[act] = await sendForm(PAGES.inbox.path, { act, on: ON[act] }, { for: '2h' }, headers);
  }
  answers.save_question = await sendForm(
    PAGES.explore.path,
    { sql: 'SELECT 1' },
    { act: 'save_question', name: 'Best days', sentence: 'Which days were best?' },
    headers,
  );
  answers.save_model = await sendForm(PAGES.explore.path, { sql: 'SELECT 1' }, { name: 'best_days' }, headers);
  answers.share_link = await sendForm(PAGES.links.path, {}, { table: 'spend' }, headers);
  answers.call_tools = await callTool(bearer);
  return answers;
}

async function personWith(role: Role): Promise<readonly [login: Headers, bearer: Headers]> {
  const token = addToken(server.tokensPath, { name: role, role }, NOON);
  const cookie = (await server.logIn(token)).headers.get('set-cookie')?.split(';')[0] ?? '';
  return [{ cookie, ...SAME_ORIGIN }, { authorization: `Bearer ${token}` }];
}

describe('every route, by the table of rights', () => {
  it.each(ROLES.filter((role) => role !== 'agent'))('answers the role %s', async (role) => {
    done.length = 0;
    const expected = RIGHTS.map((right) => [
      right,
      right === 'look'
        ? [200]
        : may(role, right)
          ? right === 'save_question'
            ? 303
            : 200
          : right === 'call_tools'
            ? 404
            : 403,
    ]);
    expect(await answersTo(...(await personWith(role)))).toEqual(Object.fromEntries(expected));
    expect(done.toSorted()).toEqual(RIGHTS.filter((right) => right !== 'look' && may(role, right)).toSorted());
  });

  it('answers an agent like nobody, but for its tools', async () => {
    await personWith('viewer');
    done.length = 0;
    const expected = RIGHTS.map((right) => [right, right === 'call_tools' ? 200 : right === 'look' ? [401] : 401]);
    expect(await answersTo(...(await personWith('agent')))).toEqual(Object.fromEntries(expected));
    expect(done).toEqual(['rules']);
  });

  it('answers nobody else', async () => {
    await personWith('viewer');
    done.length = 0;
    const expected = RIGHTS.map((right) => [right, right === 'look' ? [401] : right === 'call_tools' ? 404 : 401]);
    expect(await answersTo(SAME_ORIGIN, {})).toEqual(Object.fromEntries(expected));
    expect(done).toEqual([]);
  });
});

describe('the token of an agent', () => {
  const pages = Object.values(PAGES).map(({ path }) => ids(path));
  const posts = [
    { path: PAGES.inbox.path, fields: { act: 'approve', on: 'K7PX', seen: 'S' } },
    { path: PAGES.explore.path, fields: { sql: 'SELECT 1', name: 'best_days' } },
    { path: PAGES.links.path, fields: { table: 'spend' } },
  ];

  it.each([
    ['beside a viewer', true, 401],
    ['alone', false, 404],
  ])('opens no page, form or figure %s, also as a bearer token', async (_words, hasViewer, status) => {
    if (hasViewer) await personWith('viewer');
    done.length = 0;
    const token = addToken(server.tokensPath, { name: 'desk', role: 'agent' }, NOON);
    const headers = { authorization: `Bearer ${token}`, ...SAME_ORIGIN };
    let seconds = 86_400;
    const answers = new Set<string>();
    const ask = async (path: string, init: RequestInit = {}) => {
      // Each of these is a wrong token, and ten in a minute are too many.
      seconds += 61;
      server.clock.set(new Date(Date.parse(NOON) + seconds * 1000).toISOString());
      const stop = new AbortController();
      const answer = await fetch(server.address + path, { headers, redirect: 'manual', signal: stop.signal, ...init });
      // The body of an event stream never ends.
      const isStream = answer.headers.get('content-type')?.includes('event-stream') ?? false;
      const body = isStream ? 'form::' : await answer.text();
      stop.abort();
      answers.add(`${path} ${answer.status} ${/form:\w*:|pacekeeper_runs/.test(body)}`);
    };
    for (const path of [...pages, LIVE_PATH, METRICS_PATH]) await ask(path);
    for (const { path, fields } of posts) await ask(path, { method: 'POST', body: new URLSearchParams(fields) });
    expect([...answers]).toEqual([...pages, LIVE_PATH, METRICS_PATH].map((path) => `${path} ${status} false`));
    const login = await server.logIn(token);
    expect([login.status, login.headers.get('set-cookie')]).toEqual([status, null]);
    expect([await callTool(headers), done]).toEqual([200, ['rules']]);
  });
});

it('a viewer only looks, an approver decides, and an admin also saves models and shares links; an unknown role has no right', () => {
  const granted = (role: string) => RIGHTS.filter((right) => may(role, right));
  expect(granted('viewer')).toEqual(['look']);
  const ofPeople = RIGHTS.filter((right) => right !== 'call_tools');
  expect(granted('approver')).toEqual(ofPeople.filter((right) => right !== 'save_model' && right !== 'share_link'));
  expect(granted('admin')).toEqual(ofPeople);
  expect(granted('agent')).toEqual(['call_tools']);
  for (const role of ['owner', 'constructor', '__proto__', '']) expect(granted(role)).toEqual([]);
});

it('every act of the dashboard is a right', () => {
  expect(RIGHTS).toEqual(['look', ...Object.keys(ACTS), 'save_question', 'save_model', 'share_link', 'call_tools']);
});
