import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addToken, revokeToken } from '../../src/dashboard/server/access-tokens.ts';
import { htmlFindings } from '../support/html-findings.ts';
import { SAME_ORIGIN, statusServer } from './status-server.ts';

const server = await statusServer();
const proxied = await statusServer({ trustProxy: true, publicUrl: 'https://pace.example.com/pk' });
const untrusted = await statusServer({ publicUrl: 'https://pace.example.com' });
const failing = await statusServer({
  source: {
    render: async () => {
      throw new Error('20 pages are already waiting.');
    },
    measure: async () => {
      throw new Error('database disk image is malformed');
    },
  },
});

const stuck = await statusServer({ source: { render: () => new Promise(() => undefined) } });

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const later = (ms: number) => server.clock.set(new Date(server.clock.now() + ms).toISOString());
const HOURS = 3_600_000;

describe('access to the status page', () => {
  it('is off without a token, and the page says how to make one', async () => {
    for (const path of ['/', '/runs', '/budgets/1/2', '/login']) {
      const { status, body } = await server.send(path, bearer('anything'));
      expect([path, status, body]).toEqual([path, 404, expect.stringContaining('pacekeeper serve token')]);
    }
    expect((await server.logIn('')).status).toBe(404);
    expect(JSON.parse((await server.send('/metrics', bearer('x'))).body).error).toContain('pacekeeper serve token');
    expect(server.asked).toEqual([]);
  });

  it('needs a login with a token, which leads to the requested page', async () => {
    const token = server.token();
    const form = await server.send('/runs/7?x=1');
    expect(form.status).toBe(401);
    expect(form.body).toContain('name="next" value="/runs/7?x=1"');
    expect(form.body).toContain('action="../login"');
    const answer = await server.logIn(token, { next: '/runs/7?x=1' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, './runs/7?x=1']);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^pacekeeper_\w{8}=[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
    const page = await server.send('/runs/7?a=b', { headers: { cookie: cookie.split(';')[0] ?? '' } });
    expect([page.status, page.body]).toEqual([200, '<!DOCTYPE html><title>A page</title>']);
    expect(server.asked).toEqual([{ path: '/runs/7', query: 'a=b', role: 'viewer' }]);
    expect(server.log).toEqual(['Login with token anna from 127.0.0.1.']);
  });

  it('accepts a bearer token', async () => {
    const token = server.token();
    expect((await server.send('/alerts', bearer(token))).status).toBe(200);
    expect((await server.send('/alerts', bearer(`${token}x`))).status).toBe(401);
    expect((await server.send('/alerts', { headers: { authorization: `Basic ${btoa(`a:${token}`)}` } })).status).toBe(
      401,
    );
  });

  it.each<[sentence: string, next: string]>([
    ['another host', 'https://evil.example/'],
    ['another host without a scheme', '//evil.example/runs'],
    ['another host behind a backslash', '/\\evil.example'],
    ['a script', 'javascript:alert(1)'],
    ['a header', '/runs\r\nset-cookie: a=b'],
    ['a header in a query', '/runs?a\r\nset-cookie: a=b'],
    ['markup in a query', '/runs?"><script>'],
    ['a parent folder', '/runs/../../x'],
    ['a webhook', '/webhooks/graph'],
  ])('never redirects a login to %s', async (_sentence, next) => {
    const answer = await server.logIn(server.token(), { next });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, './']);
    expect((await server.logIn('wrong', { next })).body).toContain('name="next" value="/"');
  });

  it('stays logged in behind a proxy with its own passwords', async () => {
    const headers = { cookie: await server.session(), authorization: `Basic ${btoa('a:b')}` };
    expect((await server.send('/alerts', { headers })).status).toBe(200);
    expect((await server.send('/login', { headers })).status).toBe(303);
    expect((await server.send('/alerts', { headers: { ...headers, authorization: 'Bearer wrong' } })).status).toBe(401);
  });

  it('logs a line for each invalid token', async () => {
    server.token();
    await server.send('/login', bearer('pk_wrong'));
    await server.send('/runs', bearer('pk_wrong'));
    expect(server.log).toEqual(Array(2).fill('Invalid token from 127.0.0.1.'));
  });

  it('allows ten invalid tokens a minute from one address, then refuses even a valid one', async () => {
    const token = server.token();
    for (let tries = 0; tries < 10; tries++) {
      const { status, body } = await server.logIn(`pk_wrong${tries}`);
      expect([status, body.includes('Invalid token.')]).toEqual([401, true]);
      expect(body).not.toContain('pk_wrong');
    }
    const refused = await server.logIn(token);
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('set-cookie')]).toEqual([
      429,
      '60',
      null,
    ]);
    expect((await server.send('/metrics', bearer(token))).status).toBe(429);
    later(59_000);
    expect((await server.logIn(token)).status).toBe(429);
    later(1000);
    expect((await server.logIn(token)).status).toBe(303);
    expect(server.log.join('\n')).not.toMatch(/pk_/);
    expect(server.log[0]).toBe('Invalid token from 127.0.0.1.');
  });

  it('limits parallel guesses, too', async () => {
    server.token();
    const answers = await Promise.all(Array.from({ length: 40 }, () => server.send('/runs', bearer('pk_wrong'))));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  });

  it('keeps visitors logged in while somebody else guesses', async () => {
    const cookie = await server.session();
    for (let tries = 0; tries < 12; tries++) await server.logIn('wrong');
    expect((await server.send('/', { headers: { cookie } })).status).toBe(200);
  });
});

describe('a session', () => {
  const look = (cookie: string) => server.send('/inbox', { headers: { cookie } });

  it('ends after twelve hours', async () => {
    const cookie = await server.session();
    later(12 * HOURS - 1);
    expect((await look(cookie)).status).toBe(200);
    later(1);
    expect((await look(cookie)).status).toBe(401);
    server.clock.set('2026-11-20T00:00:00Z');
    expect((await look(cookie)).status, 'one that ends later than any can').toBe(401);
  });

  it('ends with its token, and stays ended if a token of the same name is made', async () => {
    const cookie = await server.session();
    addToken(server.tokensPath, { name: 'ben', role: 'viewer' }, '2026-11-20T12:00:00Z');
    revokeToken(server.tokensPath, 'anna');
    expect((await look(cookie)).status).toBe(401);
    server.token();
    expect((await look(cookie)).status).toBe(401);
  });

  it('ends by logging out, for all copies of the cookie', async () => {
    const cookie = await server.session();
    const out = await server.send('/logout', { method: 'POST', headers: { cookie, ...SAME_ORIGIN } });
    expect([out.status, out.headers.get('location')]).toEqual([303, './login']);
    expect(out.headers.get('set-cookie')).toMatch(/^pacekeeper_\w{8}=; .*Expires=Thu, 01 Jan 1970/);
    expect((await look(cookie)).status).toBe(401);
  });

  it.each<[sentence: string, forge: (cookie: string) => string]>([
    ['with a longer lifetime', (cookie) => cookie.replace(/\.(\d+)\./, (_, ms) => `.${Number(ms) + 1}.`)],
    ['of another token’s name', (cookie) => cookie.replace(/=[^.]+/, `=${btoa('ben')}`)],
    ['with another id', (cookie) => cookie.replace(/\.[\w-]{22}\./, `.${'A'.repeat(22)}.`)],
    ['with another proof', (cookie) => cookie.replace(/[\w-]{43}$/, 'A'.repeat(43))],
    ['without a proof', (cookie) => cookie.replace(/\.[\w-]{43}$/, '')],
    ['with a digest as value', (cookie) => cookie.replace(/=.*/, `=${'a'.repeat(64)}`)],
    ['with an empty value', (cookie) => cookie.replace(/=.*/, '=')],
    ['with a long value', (cookie) => cookie.replace(/=.*/, `=${'a.'.repeat(3000)}`)],
    ['with an undecodable value', (cookie) => cookie.replace(/=.*/, '=%E0%A4%A')],
    ['with the name for https', (cookie) => `__Host-${cookie}`],
  ])('%s is refused', async (_sentence, forge) => {
    const cookie = await server.session();
    addToken(server.tokensPath, { name: 'ben', role: 'viewer' }, '2026-11-20T12:00:00Z');
    expect((await look(forge(cookie))).status).toBe(401);
    expect((await look(cookie)).status).toBe(200);
  });

  it('is found among several cookies of its name, and logging out ends all of them', async () => {
    const cookie = await server.session();
    const own = await server.session({ name: 'ben', role: 'viewer' });
    const several = `a=b; ${cookie.replace(/=.*/, '=stale')}; ${cookie}; ${own}`;
    expect((await look(several)).status).toBe(200);
    await server.send('/logout', { method: 'POST', headers: { cookie: several, ...SAME_ORIGIN } });
    expect([(await look(cookie)).status, (await look(own)).status]).toEqual([401, 401]);
  });

  it('has another name on another server of the same host, because cookies ignore ports', async () => {
    const cookie = await server.session();
    const other = await failing.session();
    expect(cookie.split('=')[0]).not.toBe(other.split('=')[0]);
    expect((await look(`${other}; ${cookie}`)).status).toBe(200);
  });

  it('survives a cookie of 20 KB: the request is refused, and the server keeps serving', async () => {
    const cookie = await server.session();
    const answer = await look(`${cookie}; x=${'x'.repeat(20_000)}`);
    expect(answer.status).toBe(431);
    expect((await look(cookie)).status).toBe(200);
  });
});

describe('a form', () => {
  it.each<[sentence: string, headers: Readonly<Record<string, string>>, status: number]>([
    ['of our own page', { 'sec-fetch-site': 'same-origin' }, 303],
    ['of our own page, from a browser that sends only the origin', { origin: server.address }, 303],
    ['of another page', { 'sec-fetch-site': 'cross-site', origin: server.address }, 403],
    ['of a neighbouring site', { 'sec-fetch-site': 'same-site' }, 403],
    ['of another origin', { origin: 'https://evil.example' }, 403],
    ['of the same host on another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['of a hidden origin', { origin: 'null' }, 403],
    ['without an origin', {}, 403],
    [
      'of another origin with a forwarded host',
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
      403,
    ],
  ])('%s is accepted or refused, to log in and to log out', async (_sentence, headers, status) => {
    const token = server.token();
    expect((await server.logIn(token, {}, headers)).status).toBe(status);
    expect((await server.send('/logout', { method: 'POST', headers })).status).toBe(status);
  });

  it('has at most 20 KB', async () => {
    const answer = await server.logIn('x'.repeat(20_001));
    expect(answer.status).toBe(413);
  });
});

describe('a page', () => {
  it('is a file that a browser saves if its table was asked for', async () => {
    const file = { name: 'budgets', format: 'csv' as const, content: '"Budget"\r\n"Brand"\r\n' };
    const listing = await statusServer({ source: { render: async () => ({ status: 200, html: '', file }) } });
    const { status, headers, body } = await listing.send('/budgets?format=csv', bearer(listing.token()));
    expect([status, headers.get('content-type'), headers.get('content-disposition'), body]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="budgets.csv"',
      file.content,
    ]);
  });

  it('cannot be framed, stored, sniffed or extended, and leaks no address', async () => {
    const cookie = await server.session();
    for (const init of [{ headers: { cookie } }, {}]) {
      const { headers } = await server.send('/', init);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-type': 'text/html; charset=utf-8',
      });
    }
  });

  it.each<[sentence: string, path: string, method: string, status: number, allow: string | null]>([
    ['answers HEAD without a body', '/runs', 'HEAD', 200, null],
    ['refuses POST', '/runs', 'POST', 405, 'GET, HEAD'],
    ['refuses DELETE', '/budgets/1/2', 'DELETE', 405, 'GET, HEAD'],
    ['refuses OPTIONS', '/', 'OPTIONS', 405, 'GET, HEAD'],
    ['does not log out by GET', '/logout', 'GET', 405, 'POST'],
    ['answers 404 for an unknown name', '/admin', 'GET', 404, null],
    ['answers 404 above the root', '/..%2f..%2fetc/passwd', 'GET', 404, null],
    ['refuses a long id', `/runs/${'9'.repeat(800)}`, 'GET', 400, null],
    ['refuses an endless query', `/runs?${'a=b&'.repeat(1300)}`, 'GET', 414, null],
    ['refuses POST of metrics', '/metrics', 'POST', 405, 'GET'],
  ])('%s', async (_sentence, path, method, status, allow) => {
    const cookie = await server.session();
    const answer = await server.send(path, { method, headers: { cookie } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
    if (method === 'HEAD') expect(answer.body).toBe('');
    expect(server.log.join()).not.toMatch(/passwd|9999|a=b/);
  });

  it.each(['/admin', '/runs/7/more/<b>', '/..%2f..%2fetc/passwd'])(
    'does not exist at %s: a browser gets a page',
    async (path) => {
      const { status, body, headers } = await server.send(path, { headers: { accept: 'text/html,*/*' } });
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(await htmlFindings(body)).toEqual([]);
      expect(body).toContain('<h1>No such page</h1>');
      expect(body).not.toMatch(/<b>|passwd/);
      expect(server.log.join()).not.toMatch(/passwd/);
    },
  );

  it('that fails is reported on a page', async () => {
    const cookie = await failing.session();
    const { status, body } = await failing.send('/', { headers: { cookie } });
    expect([status, body]).toEqual([503, expect.stringContaining('20 pages are already waiting.')]);
    expect(failing.log.at(-1)).toBe('Making a page failed: 20 pages are already waiting.');
  });

  it('that takes forever delays nobody else', async () => {
    const cookie = await stuck.session();
    const given = new AbortController();
    const page = stuck.send('/', { headers: { cookie }, signal: given.signal });
    const others = await Promise.all(['/health', '/login', '/webhooks/graph'].map((path) => stuck.send(path)));
    expect(others.map(({ status }) => status)).toEqual([200, 401, 404]);
    given.abort();
    await expect(page).rejects.toThrow();
  });

  it.each<[sentence: string, make: (path: string) => void, words: RegExp]>([
    [
      'is not a list of tokens',
      (path) => writeFileSync(path, '[{'),
      /Invalid token file \S+serve-tokens\.json: expected/,
    ],
    ['is a folder', (path) => mkdirSync(path), /Reading \S+serve-tokens\.json failed: found EISDIR/],
  ])(
    'answers 503 if the token file %s, hides the reason from strangers, and keeps webhooks running',
    async (_s, make, words) => {
      make(server.tokensPath);
      for (const path of ['/', '/login']) {
        const { status, body } = await server.send(path);
        expect([path, status, body]).toEqual([path, 503, expect.stringMatching(/^<!DOCTYPE html>(?!.*serve-tokens)/s)]);
      }
      expect((await server.logIn('x')).status).toBe(503);
      const numbers = await server.send('/metrics', bearer('x'));
      expect([numbers.status, JSON.parse(numbers.body).error]).toEqual([503, 'logins cannot be checked. See the log']);
      expect(server.log.join()).toMatch(words);
      expect((await server.send('/health')).status).toBe(200);
    },
  );
});

describe('a proxy in front', () => {
  const forwarded = {
    'x-forwarded-for': '203.0.113.9, 198.51.100.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'pace.example.com',
  };

  it('that is trusted gives the address that it saw, not earlier ones', async () => {
    const token = proxied.token();
    const answer = await proxied.logIn(token, {}, { ...forwarded, origin: 'https://pace.example.com' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-pacekeeper_\w{8}=.*; Secure; SameSite=Lax$/);
    expect(proxied.log).toEqual(['Login with token anna from 198.51.100.7.']);
    for (let tries = 0; tries < 10; tries++) {
      await proxied.logIn('wrong', {}, { ...SAME_ORIGIN, 'x-forwarded-for': `203.0.113.${tries}, 198.51.100.8` });
    }
    const from = (address: string) =>
      proxied.logIn(token, {}, { ...SAME_ORIGIN, 'x-forwarded-for': address }).then(({ status }) => status);
    expect([await from('198.51.100.8'), await from('1.2.3.4, 198.51.100.8'), await from('198.51.100.9')]).toEqual([
      429, 429, 303,
    ]);
  });

  it.each<[sentence: string, address: (tries: number) => string, same: string, other: string]>([
    [
      'all addresses of an IPv6 network',
      (tries) => `2001:db8:1:2:${tries}::${tries}`,
      '2001:DB8:1:2::ffff',
      '2001:db8:1:3::1',
    ],
    [
      'one address in any spelling',
      (tries) => ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109'][tries % 3] ?? '',
      '0:0:0:0:0:ffff:203.0.113.9',
      '::ffff:203.0.113.8',
    ],
    ['an invalid address', (tries) => `nobody ${tries}`, 'somebody', '203.0.113.8'],
  ])('that is trusted counts invalid tokens from %s together', async (_sentence, address, same, other) => {
    const token = proxied.token();
    const from = (ip: string, shown = token) =>
      proxied.logIn(shown, {}, { ...SAME_ORIGIN, 'x-forwarded-for': ip }).then(({ status }) => status);
    for (let tries = 0; tries < 10; tries++) expect(await from(address(tries), 'wrong')).toBe(401);
    expect([await from(same), await from(other)]).toEqual([429, 303]);
  });

  it.each<[sentence: string, origin: string, cookie: RegExp]>([
    ['through it by https is kept for https only', 'https://pace.example.com', /^__Host-pacekeeper_\w{8}=.*; Secure;/],
    ['past it by http is kept by the browser', 'http://192.0.2.7:4020', /^pacekeeper_\w{8}=(?!.*Secure)/],
  ])('a login %s, although the proxy is not trusted', async (_sentence, origin, words) => {
    const { host } = new URL(origin);
    const answer = await untrusted.logIn(untrusted.token(), {}, { origin, 'sec-fetch-site': 'same-origin', host });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect([answer.status, cookie]).toEqual([303, expect.stringMatching(words)]);
    const headers = { cookie: cookie.split(';')[0] ?? '', origin, ...SAME_ORIGIN };
    expect((await untrusted.send('/', { headers })).status).toBe(200);
    expect((await untrusted.send('/logout', { method: 'POST', headers })).status).toBe(303);
    expect((await untrusted.send('/', { headers })).status).toBe(401);
  });

  it('that is not trusted is ignored, for address and protocol', async () => {
    const answer = await server.logIn(server.token(), {}, { ...SAME_ORIGIN, ...forwarded });
    expect(answer.headers.get('set-cookie')).toMatch(/^pacekeeper_\w{8}=(?!.*Secure)/);
    expect(server.log).toEqual(['Login with token anna from 127.0.0.1.']);
  });

  it('that sends an invalid address has an unknown one, and the log shows nothing of it', async () => {
    proxied.token();
    await proxied.logIn('wrong', {}, { ...SAME_ORIGIN, 'x-forwarded-for': 'a"\\line' });
    expect(proxied.log).toEqual(['Invalid token from an unknown address.']);
  });
});

describe('/metrics', () => {
  it('needs a bearer token', async () => {
    const cookie = await server.session();
    const stranger = await server.send('/metrics', { headers: { cookie } });
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="pacekeeper"']);
    expect(stranger.body).not.toContain('pacekeeper_runs');
    const token = addToken(server.tokensPath, { name: 'prometheus', role: 'viewer' }, '2026-11-20T12:00:00Z');
    await server.send('/webhooks/graph?hub.verify_token=secret');
    await server.send('/secret-of-somebody');
    const { status, headers, body } = await server.send('/metrics', bearer(token));
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(body).toContain('# TYPE pacekeeper_runs gauge\npacekeeper_runs{state="done"} 3\n');
    expect(body).toContain('pacekeeper_http_requests_total{route="/webhooks/graph",method="GET",status="404"} 1');
    expect(body).toContain('pacekeeper_webhook_events_waiting 0');
    expect(body).toContain('pacekeeper_state_readable 1');
    // No job has ended yet: a 0 would say that one ended badly.
    expect(body).not.toContain('pacekeeper_schedule_last_ok');
    expect(body).toMatch(/^nodejs_eventloop_lag_seconds \d/m);
    expect(body).not.toContain('secret');
    expect(server.log.join()).not.toMatch(/pk_|secret/);
  });

  it('shows the numbers of this process if the databases are unreadable', async () => {
    const { status, body } = await failing.send('/metrics', bearer(failing.token()));
    expect([status, body]).toEqual([200, expect.stringContaining('pacekeeper_state_readable 0')]);
  });
});

it('a reader that takes nothing of its page is disconnected', async () => {
  const html = 'x'.repeat(32 * 1024 * 1024);
  const large = await statusServer({ requestTimeoutMs: 100, source: { render: async () => ({ status: 200, html }) } });
  const port = Number(new URL(large.address).port);
  const cookie = await large.session();
  const reader = connect(port, '127.0.0.1');
  let taken = 0;
  reader.on('data', (bytes) => {
    taken += bytes.length;
  });
  reader.write(`GET / HTTP/1.1\r\nhost: h\r\ncookie: ${cookie}\r\n\r\n`);
  await once(reader, 'data');
  reader.pause();
  // Each of these stalled requests ends after the same time limit.
  for (let waits = 0; waits < 4; waits++) {
    const stalled = connect(port, '127.0.0.1');
    stalled.write('GET / HTTP/1.1\r\nhost: h\r\n');
    await once(stalled.resume(), 'close');
  }
  reader.resume();
  await once(reader, 'close');
  expect(taken).toBeLessThan(html.length);
});
