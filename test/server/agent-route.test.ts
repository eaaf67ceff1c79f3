import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { NO_DATA } from '../../src/dashboard/agents/data-standing.ts';
import { addToken, revokeToken } from '../../src/dashboard/server/access-tokens.ts';
import type { Role } from '../../src/domain/role.ts';
import { callMessage, headersOf, LIST_MESSAGE } from '../support/agent-messages.ts';
import { NOON } from '../support/world.ts';
import { statusServer } from './status-server.ts';

const commands: string[] = [];
/** While set, commands wait for it. */
let held: Promise<unknown> | undefined;
let onCommand: () => void = () => undefined;
const server = await statusServer({
  publicUrl: 'https://pace.example',
  agents: {
    settings: await readSettings('test', {}, {}),
    source: {
      dataStanding: async () => NO_DATA,
      checkSelect: async () => ({ kind: 'refused', refused: { code: 'NOTHING_PUBLISHED', reason: 'None.' } }),
      noteCall: async () => ({ kind: 'begun', row: '1' }),
    },
    explore: undefined,
    version: '0.0.0',
    runCommand: async (args) => {
      commands.push(args.join(' '));
      onCommand();
      await held;
      return { exitCode: 0, text: '', stdout: '{"rules":[{"name":"a secret rule"}]}' };
    },
  },
});

const tokenOf = (role: Role = 'agent', name: string = role) => addToken(server.tokensPath, { name, role }, NOON);

type Headers = Readonly<Record<string, string>>;

const post = (token: string | undefined, message: unknown = LIST_MESSAGE, headers: Headers = {}, path = '/mcp') =>
  server.send(path, {
    method: 'POST',
    body: typeof message === 'string' ? message : JSON.stringify(message),
    headers: {
      ...headersOf(typeof message === 'string' ? LIST_MESSAGE : message),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });

/** `fetch` does not send the `Host` that a test wants. */
async function withHost(token: string, host: string): Promise<number | undefined> {
  const headers = { ...headersOf(LIST_MESSAGE), authorization: `Bearer ${token}`, host };
  const sent = request(`${server.address}/mcp`, { method: 'POST', headers });
  sent.end(JSON.stringify(LIST_MESSAGE));
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode;
}

/** An error comes before, if the server closed first. */
const closed = (socket: Socket) => new Promise<void>((done) => socket.once('close', () => done()));

/** Sends these bytes and reads until the server closes the connection. */
async function untilClosed(...parts: readonly (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(server.address);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => undefined);
  for (const part of parts) socket.write(part);
  await closed(socket);
  return Buffer.concat(received).toString('utf8');
}

const head = (token: string, ...more: readonly string[]) =>
  [
    'POST /mcp HTTP/1.1',
    `Host: ${new URL(server.address).host}`,
    `Authorization: Bearer ${token}`,
    ...Object.entries(headersOf(LIST_MESSAGE)).map(([name, value]) => `${name}: ${value}`),
    ...more,
    '\r\n',
  ].join('\r\n');

describe('the door of agents', () => {
  it('does not exist before a token of an agent exists', async () => {
    expect((await post('pk_wrong')).status).toBe(404);
    tokenOf('admin');
    expect((await post('pk_wrong')).status).toBe(404);
  });

  it.each<[sentence: string, headers: (tokens: Readonly<Record<Role, string>>) => Headers]>([
    ['without a token', () => ({})],
    ['with a wrong token', () => ({ authorization: 'Bearer pk_wrong' })],
    ['with the token of a viewer', ({ viewer }) => ({ authorization: `Bearer ${viewer}` })],
    ['with the token of an approver', ({ approver }) => ({ authorization: `Bearer ${approver}` })],
    ['with the token of an admin', ({ admin }) => ({ authorization: `Bearer ${admin}` })],
    ['with the token in another scheme', ({ agent }) => ({ authorization: `Basic ${btoa(`x:${agent}`)}` })],
    ['with the token in a cookie', ({ agent }) => ({ cookie: `token=${agent}` })],
    ['with two tokens', ({ admin, agent }) => ({ authorization: `Bearer ${admin} ${agent}` })],
  ])('refuses a call %s', async (_sentence, headers) => {
    commands.length = 0;
    const tokens = {
      viewer: tokenOf('viewer'),
      approver: tokenOf('approver'),
      admin: tokenOf('admin'),
      agent: tokenOf('agent'),
    };
    const { status, body, headers: answered } = await post(undefined, callMessage('rules'), headers(tokens));
    expect([status, answered.get('www-authenticate'), commands]).toEqual([401, expect.stringMatching(/^Bearer/), []]);
    for (const token of Object.values(tokens)) expect(body).not.toContain(token);
  });

  it('takes no token from the address, and no login of a person', async () => {
    const token = tokenOf();
    expect((await post(undefined, LIST_MESSAGE, {}, `/mcp?token=${token}`)).status).toBe(401);
    const cookie = await server.session({ name: 'eva', role: 'admin' });
    expect((await post(undefined, LIST_MESSAGE, { cookie })).status).toBe(401);
  });

  it('refuses correct tokens after ten wrong ones in a minute', async () => {
    const token = tokenOf();
    const answers: number[] = [];
    for (let round = 0; round < 10; round += 1) answers.push((await post('pk_wrong')).status);
    const late = await post(token);
    expect([...answers, late.status]).toEqual([...Array<number>(10).fill(401), 429]);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'https://pace.example.evil.example', 'file://'])(
    'refuses the Origin %s before it looks at the token',
    async (origin) => {
      const token = tokenOf();
      for (const shown of [token, 'pk_wrong', undefined]) {
        expect((await post(shown, LIST_MESSAGE, { origin })).status).toBe(403);
      }
      // None of them counts as a wrong token.
      for (let round = 0; round < 12; round += 1) await post('pk_wrong', LIST_MESSAGE, { origin });
      expect((await post(token)).status).toBe(200);
    },
  );

  it('takes requests from its own pages and from programs', async () => {
    const token = tokenOf();
    for (const origin of [server.address, 'https://pace.example'])
      expect((await post(token, LIST_MESSAGE, { origin })).status).toBe(200);
    const { port, host } = new URL(server.address);
    for (const own of [host, `localhost:${port}`, `[::1]:${port}`, 'pace.example'])
      expect([own, await withHost(token, own)]).toEqual([own, 200]);
  });

  it.each(['evil.example', 'localhost', '127.0.0.1:1', 'pace.example:81', 'pace.example.evil.example'])(
    'refuses the Host %s',
    async (host) => {
      expect(await withHost(tokenOf(), host)).toBe(403);
    },
  );

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('answers %s with 405', async (method) => {
    const headers = { authorization: `Bearer ${tokenOf()}`, accept: 'text/event-stream' };
    const { status, headers: answered } = await server.send('/mcp', { method, headers });
    expect([status, answered.get('allow')]).toEqual([405, 'POST']);
  });

  it.each<[sentence: string, message: unknown, headers: Headers, status: number]>([
    ['an unknown version in the header', LIST_MESSAGE, { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['another method in the header', LIST_MESSAGE, { 'mcp-method': 'tools/call' }, 400],
    ['another tool in the header', callMessage('rules'), { 'mcp-name': 'status' }, 400],
    ['half a message', JSON.stringify(LIST_MESSAGE).slice(0, 40), {}, 400],
    ['no JSON', 'approve K7PX', {}, 400],
    ['no bytes', '', {}, 400],
    ['a list of calls', JSON.stringify([callMessage('rules'), callMessage('rules', {}, 2)]), {}, 400],
    ['a null', 'null', {}, 400],
    ['a form', 'act=approve', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['another type', JSON.stringify(LIST_MESSAGE), { 'content-type': 'text/plain' }, 415],
  ])('refuses %s, and runs nothing', async (_sentence, message, headers, status) => {
    commands.length = 0;
    const answer = await post(tokenOf(), message, headers);
    expect([answer.status, commands]).toEqual([status, []]);
    expect(answer.body).not.toMatch(/\n {2,}at |node_modules|\/src\//);
  });

  it('answers an unknown version in a message with the versions that it knows', async () => {
    const message = structuredClone(LIST_MESSAGE);
    message.params._meta['io.modelcontextprotocol/protocolVersion'] = '1999-01-01';
    const { status, body } = await post(tokenOf(), message, { 'mcp-protocol-version': '1999-01-01' });
    expect([status, body]).toEqual([400, expect.stringContaining('2026-07-28')]);
  });

  it('refuses 50 MB with 413, and closes the connection before they are sent', async () => {
    const token = tokenOf();
    const announced = await untilClosed(head(token, `Content-Length: ${50 * 2 ** 20}`));
    expect(announced).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    const chunk = `${(2 ** 20).toString(16)}\r\n${'x'.repeat(2 ** 20)}\r\n`;
    const chunked = await untilClosed(head(token, 'Transfer-Encoding: chunked'), ...Array<string>(50).fill(chunk));
    expect(chunked).toMatch(/^(?:HTTP\/1\.1 413 |$)/);
    expect((await post(token)).status).toBe(200);
  });

  it('runs nothing if the sender leaves in the middle of a message', async () => {
    commands.length = 0;
    const body = JSON.stringify(callMessage('rules'));
    const { hostname, port } = new URL(server.address);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.end(head(tokenOf(), `Content-Length: ${body.length}`) + body.slice(0, 60));
    socket.resume();
    await closed(socket);
    expect([(await post(tokenOf('agent', 'other'))).status, commands]).toEqual([200, []]);
  });

  it('refuses the 301st request of one agent in a minute, whatever it asks', async () => {
    const token = tokenOf('agent', 'desk');
    const other = tokenOf('agent', 'other');
    const answers = await Promise.all(Array.from({ length: 301 }, () => post(token, '{')));
    const counts = Map.groupBy(answers, ({ status }) => status);
    expect([counts.get(400)?.length, counts.get(429)?.length, counts.size]).toEqual([300, 1, 2]);
    expect(Number((await post(token)).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(other)).status).toBe(200);
    server.clock.set(new Date(server.clock.now() + 61_000).toISOString());
    expect((await post(token)).status).toBe(200);
  });

  it('keeps the answer of a call whose token is revoked meanwhile, and starts no waiting call', async () => {
    commands.length = 0;
    const token = tokenOf();
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const begun = new Promise<void>((found) => {
      onCommand = found;
    });
    const calls = [post(token, callMessage('rules')), post(token, callMessage('alerts'))];
    await begun;
    revokeToken(server.tokensPath, 'agent');
    tokenOf('agent', 'other');
    resolve();
    const answers = await Promise.all(calls);
    held = undefined;
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    for (const { body } of answers) expect(body).not.toContain('a secret rule');
    expect(commands).toHaveLength(1);
  });

  it('runs one command at a time, and refuses the 21st that waits', async () => {
    commands.length = 0;
    const token = tokenOf();
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const calls = Array.from({ length: 25 }, (_, id) => post(token, callMessage('rules', {}, id)));
    const refused: string[] = [];
    // While the first command is held, only refused calls end.
    await new Promise<void>((done) => {
      for (const call of calls) void call.then(({ body }) => refused.push(body) === 5 && done());
    });
    expect(commands).toHaveLength(1);
    for (const body of refused) expect(body).toContain('Too many commands of agents');
    resolve();
    held = undefined;
    const bodies = (await Promise.all(calls)).map(({ body }) => body);
    expect(bodies.filter((body) => body.includes('a secret rule'))).toHaveLength(20);
    expect(commands).toHaveLength(20);
  });

  it('logs no token and no message of an agent', async () => {
    const token = tokenOf();
    await post(token, `{"x":"approve K7PX"`);
    await post('pk_wrong_word');
    await post(token, callMessage('no_such_tool', { why: 'approve K7PX' }));
    for (const line of server.log) expect(line).not.toMatch(/pk_|K7PX/);
  });
});
