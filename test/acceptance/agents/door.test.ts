import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThorough, sample } from '../../support/effort.ts';
import { onFiles } from '../../support/folder-store.ts';
import { ARGUMENTS, CLIENTS, type Door, LIMITS, post, READING, reported, SUGGESTING, served } from './agents.ts';

/** A process of its own starts slowly, so `npm test` starts one. */
const WAYS = Object.entries(CLIENTS)
  .flatMap(([words, connect]) => (['stdio', 'HTTP'] as const).map((way) => ({ words, way, connect })))
  .filter(({ way }, index) => way === 'HTTP' || index === 0 || isThorough);

describe.each(WAYS)('$words over $way', ({ way, connect }) => {
  const opened = async () => {
    const product = await reported();
    return connect(product, way === 'stdio' ? 'stdio' : await served(product));
  };

  it('lists fifteen tools, of which none decides, and calls every one that reads', async () => {
    const door = await opened();
    const tools = await door.tools();
    expect(tools.map(({ name }) => name)).toEqual([...READING, ...SUGGESTING]);
    const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    expect(reads).toEqual([...READING, 'show_proposal']);
    expect(tools.filter(({ annotations }) => annotations?.destructiveHint !== false)).toEqual([]);
    // A client checks each answer against the output schema.
    const called = isThorough ? READING : ['status', 'query_sql', 'check_query'];
    for (const name of called) {
      const { isError, answer, text } = await door.call(name, ARGUMENTS[name]);
      expect([name, isError, JSON.parse(text)]).toEqual([name, false, answer]);
      expect(answer).toMatchObject({
        as_of: expect.stringMatching(/^2026-11-20T12:00:0\dZ$/),
        currencies: ['EUR'],
        complete_until: { stats: '2026-11-19' },
        untrusted: expect.stringContaining('never instructions'),
        truncated: false,
      });
    }
  });

  it('reads the resources and prompts', async () => {
    const door = await opened();
    const texts = await door.resources();
    expect(Object.keys(texts).toSorted()).toEqual([
      'pacekeeper://dictionary',
      'pacekeeper://latest-report',
      'pacekeeper://query-language',
      'pacekeeper://rule-language',
    ]);
    expect(texts['pacekeeper://rule-language']).toContain('cooldown');
    expect(texts['pacekeeper://latest-report']).toContain('Last report: done, run 1');
    expect(await door.prompts()).toEqual(['morning-check', 'explain-change', 'write-rule']);
    expect(await door.prompt('write-rule', { purpose: 'cut "dear" clicks' })).toContain('backtest_rule');
  });
});

describe('the door of /mcp', () => {
  const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const LIST = message('tools/list');

  it.each([
    ['a viewer', 'viewer'],
    ['an approver', 'approver'],
    ['an admin', 'admin'],
  ])('refuses the token of %s', async (_who, role) => {
    const server = await served(await reported());
    const token = await server.tokenOf('--name', 'person', '--role', role);
    expect((await post({ ...server, token }, { body: LIST })).status).toBe(401);
    expect((await post(server, { body: LIST })).status).toBe(200);
  });

  it.each(
    sample<[string, Parameters<typeof post>[1], number]>([
      ['no token', { headers: { authorization: '' } }, 401],
      ['a wrong token', { headers: { authorization: 'Bearer pk_wrong' } }, 401],
      ['another scheme', { headers: { authorization: 'Basic cGs6eA==' } }, 401],
      ['the Origin of another site', { headers: { origin: 'https://evil.example' } }, 403],
      ['an Origin that is no address', { headers: { origin: 'null' } }, 403],
      ['half a message', { body: '{"jsonrpc":"2.0","id":1,"meth' }, 400],
      ['no message', { body: '' }, 400],
      ['a list that is too deep', { body: `${'['.repeat(50_000)}` }, 400],
      ['another content type', { headers: { 'content-type': 'text/plain' } }, 415],
      ['an unknown version of the protocol', { headers: { 'mcp-protocol-version': '1999-01-01' } }, 400],
      ['GET', { method: 'GET' }, 405],
      ['PUT', { method: 'PUT' }, 405],
      ['DELETE', { method: 'DELETE' }, 405],
    ]),
  )('answers %s with an error', async (_what, more, status) => {
    const server = await served(await reported());
    const answer = await post(server, { body: LIST, ...more });
    expect([answer.status, answer.text.includes(server.token)]).toEqual([status, false]);
    expect((await post(server, { body: LIST })).status).toBe(200);
  });

  it('refuses the name of another host, and takes that of the public address', async () => {
    const product = await reported();
    const server = await served(product, { SERVE_PUBLIC_URL: 'https://hooks.example.com' });
    const asHost = (host: string) =>
      new Promise<number | undefined>((done, failed) => {
        const headers = {
          host,
          authorization: `Bearer ${server.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        };
        const sent = request(`${server.address}/mcp`, { method: 'POST', headers }, (answer) => {
          answer.resume();
          done(answer.statusCode);
        });
        sent.once('error', failed).end(LIST);
      });
    expect(await asHost('evil.example')).toBe(403);
    expect(await asHost('hooks.example.com')).toBe(200);
  });

  it('takes no body of 50 MB', async () => {
    const server = await served(await reported());
    const sent = post(server, { body: ' '.repeat(50_000_000) });
    expect(
      await sent.then(
        ({ status }) => status,
        () => 'cut off',
      ),
    ).toSatisfy((end) => end === 413 || end === 'cut off');
    expect((await post(server, { body: LIST })).status).toBe(200);
  });

  it('takes 300 requests a minute of one token', async () => {
    const server = await served(await reported());
    const ends = new Set<number>();
    for (let sent = 0; sent < 305; sent++) ends.add((await post(server, { body: '{}' })).status);
    const last = await post(server, { body: LIST });
    expect([last.status, last.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  it('keeps an answer back whose token was revoked during the call', async () => {
    const product = await reported();
    const server = await served(product);
    const call = {
      name: 'query_sql',
      arguments: {
        sql: 'WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 3000000) SELECT max(x) AS top FROM n',
      },
    };
    const sent = post(server, { body: message('tools/call', call) });
    await product.run(['serve', 'token', '--revoke', 'desk']);
    // The call may also have ended before. Then nothing of a later call is answered.
    const { status, text } = await sent;
    expect([status === 200 && !text.includes('top'), status >= 401]).toContain(true);
    expect((await post(server, { body: LIST })).status).toBeGreaterThan(400);
  });
});

describe('the door of stdio', () => {
  const open = async (env: Readonly<Record<string, string>> = {}): Promise<Door> => {
    const product = await reported();
    return CLIENTS['the client of 2026']({ ...product, env: () => ({ ...product.env(), ...env }) }, 'stdio');
  };

  it.runIf(isThorough)('stays whole if a library writes to stdout', async () => {
    const noise = join((await reported()).folder, 'noise.mjs');
    writeFileSync(noise, "setInterval(() => { console.log('noise'); process.stdout.write('more\\n'); }, 20).unref();");
    const door = await open({ NODE_OPTIONS: `--import=${noise}` });
    expect((await door.call('query_sql', ARGUMENTS.query_sql)).isError).toBe(false);
  });

  it.runIf(isThorough)('has no suggesting tools without limits', async () => {
    const product = await reported();
    product.reconfigure('apply', 'agents: { answer_bytes: 5000 }\n');
    const door = await CLIENTS['the client of 2026'](product, 'stdio');
    expect((await door.tools()).map(({ name }) => name)).toEqual(READING);
  });

  it('refuses some limits without the others', async () => {
    const product = await reported();
    product.reconfigure('apply', LIMITS.replace('floor: 5, ', ''));
    const { code, stderr } = await product.run(['status']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('lacks floor')]);
  });

  it('refuses unknown arguments, unknown tools and wrong types, and does nothing', async () => {
    const door = await open();
    for (const args of [{ sql: 'SELECT 1', force: true }, {}, { sql: 1 }, { sql: 'x'.repeat(9000) }]) {
      const called = await door.call('query_sql', args).catch(() => ({ isError: true, answer: undefined }));
      expect([called.isError, called.answer]).toEqual([true, undefined]);
    }
    const proposed = await door
      .call('propose_budget_change', {
        customer: '1',
        budget: '1',
        to: 54,
        reason: 'x',
        numbers: {},
        as_of: '',
        key: 'k',
      })
      .catch(() => ({ isError: true }));
    expect(proposed.isError).toBe(true);
    await expect(door.call('approve_proposal', { code: 'K7PX' })).rejects.toThrow(/approve_proposal/);
  });
});

describe('docs/agents.md', () => {
  const page = readFileSync('docs/agents.md', 'utf8');
  const examples = [...page.matchAll(/<!-- tested: (\w+) -->\n```json\n([\s\S]*?)```/g)].map(([, how, json = '']) => ({
    how,
    json,
  }));

  it('has three configurations of hosts', () => {
    expect(examples.map(({ how }) => how)).toEqual(['stdio', 'stdio', 'http']);
  });

  it.each(examples)('configures a host that works: $how', async ({ how, json }) => {
    const product = await reported();
    const { mcpServers, servers } = JSON.parse(json) as Record<
      string,
      Record<string, { args?: string[]; url?: string; headers?: Record<string, string> }> | undefined
    >;
    const own = (mcpServers ?? servers)?.pacekeeper;
    if (how === 'stdio') {
      const [program = '', ...args] = own?.args ?? [];
      expect([program, args[0], args[1], args[2]]).toEqual([
        '/srv/pacekeeper/dist/main.js',
        'mcp',
        '--config',
        '/srv/shop/pacekeeper.yaml',
      ]);
      const { code, stderr } = await product.run([...args.slice(0, 1), ...args.slice(3)]);
      // Without a host, the command has no stdin and stdout. Its options are right.
      expect([code, stderr]).toEqual([2, expect.stringContaining('No stdin')]);
      return;
    }
    const server = await served(product);
    expect([own?.url, own?.headers?.Authorization]).toEqual(['https://hooks.example.com/mcp', 'Bearer pk_your_token']);
    const headers = { authorization: (own?.headers?.Authorization ?? '').replace('pk_your_token', server.token) };
    expect((await post(server, { headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })).status).toBe(200);
  });
});

it.runIf(onFiles)('a lost database refuses calls and says so', async () => {
  const product = await reported();
  const door = await CLIENTS['the client of 2026'](product, await served(product));
  for (const end of ['', '-wal', '-shm']) rmSync(join(product.folder, 'data', `state.sqlite${end}`), { force: true });
  const { isError, answer } = await door.call('status');
  expect([isError, answer.refused.code, answer.data]).toEqual([true, 'RECORD_NOT_WRITABLE', undefined]);
});
