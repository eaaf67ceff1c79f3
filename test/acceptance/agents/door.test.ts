import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThorough } from '../../support/effort.ts';
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
    // Hosts in other languages have no classes of Unicode in patterns.
    expect(JSON.stringify(tools)).not.toContain('p{');
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
