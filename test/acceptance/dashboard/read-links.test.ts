import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { saveQuestion } from '../../../src/storage/records/saved-question-table.ts';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { readerOf } from '../../support/postgres-server.ts';
import { copiesOf, createProduct, type Product } from '../../support/product.ts';
import { byEngine, storeAt } from '../../support/state.ts';
import { NOON, writeFolder } from '../../support/world.ts';

const ACCOUNTS = ['4081725530', '9264813507'] as const;
const [FIRST, SECOND] = ACCOUNTS;
const EXPLORE = { exploreProgram: new URL('../../../dist/explore-process.js', import.meta.url) };
const QUERIES = {
  'spend.sql': `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
    FROM campaign WHERE segments.date DURING LAST_7_DAYS`,
  'clicked.sql': 'SELECT click_view.gclid AS touch, segments.date FROM click_view WHERE segments.date DURING YESTERDAY',
};
const options = { customers: ACCOUNTS.join(','), queries: QUERIES, rules: {} };

async function firstRead(): Promise<Product> {
  const product = await createProduct(options);
  const { code, stderr } = await product.run(['report']);
  expect(code, stderr).toBe(0);
  return product;
}

const read = copiesOf(firstRead, options);

interface Links {
  readonly product: Product;
  readonly address: string;
  readonly stderr: () => string;
  /** Makes a link, and returns its path and key. */
  make(...args: readonly string[]): Promise<{ readonly path: string; readonly key: string; readonly id: string }>;
  /** Runs `serve link` with these arguments. */
  link: Product['run'];
  ask(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: string }>;
  /** The lines of CSV. */
  rows(path: string): Promise<Record<string, string>[]>;
  question(name: string, query: string): Promise<void>;
}

async function served(more: Readonly<Record<string, string>> = {}): Promise<Links> {
  const product = await read();
  const readerHere = byEngine<(url: string) => Promise<string | undefined>>({
    sqlite: async () => undefined,
    postgres: readerOf,
  });
  const reader = await readerHere(product.place);
  const own = {
    SERVE_LINKS: 'true',
    ...(reader === undefined ? {} : { PACEKEEPER_STORE_EXPLORE_URL: reader }),
    ...more,
  };
  const server = await serveInProcess(product.folder, { ...product.env(), ...own }, EXPLORE);
  const { address } = server.ready;
  const link: Links['link'] = (args) => product.run(['serve', 'link', ...args], { env: own, ...EXPLORE });
  const ask: Links['ask'] = async (path, init) => {
    const answer = await fetch(address + path, init);
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  return {
    product,
    address,
    link,
    ask,
    stderr: server.stderr,
    async make(...args) {
      const { code, stdout, stderr } = await link(['create', ...args]);
      expect([code, stderr]).toEqual([0, expect.stringContaining('Store it now, like a password')]);
      const { pathname, search, searchParams } = new URL(stdout.trim());
      const key = searchParams.get('key') ?? '';
      return { path: pathname + search, key, id: /link (\d+)/.exec(stderr)?.[1] ?? '' };
    },
    async rows(path) {
      const { status, body } = await ask(path);
      expect([status, status === 200 ? '' : body]).toEqual([200, '']);
      return parse(body, { columns: true });
    },
    async question(name, query) {
      const { db, close } = await storeAt(product.place);
      await saveQuestion(db, { name, sentence: 'It answers.', query, chart: '', savedBy: 'anna' }, Date.parse(NOON));
      await close();
    },
  };
}

const accountsIn = (rows: readonly Record<string, string>[]) => [...new Set(rows.map((row) => row.customer_id))].sort();

/** Sends the path as it is. `fetch` would tidy it. */
function raw(address: string, path: string, method = 'GET', headers: Record<string, string> = {}): Promise<number> {
  const { hostname, port } = new URL(address);
  return new Promise((answered, failed) => {
    const sent = request({ hostname, port, path, method, headers }, (answer) => {
      answer.resume();
      answered(answer.statusCode ?? 0);
    });
    sent.on('error', failed);
    sent.end();
  });
}

describe('a read link', () => {
  it('answers the rows of its table as CSV and JSON, equal to the published ones', async () => {
    const { make, rows, ask, product } = await served();
    const { path } = await make('--table', 'spend');
    const published = product.rows('SELECT * FROM spend ORDER BY customer_id, campaign_id, date', 'warehouse');
    const shown = await rows(path);
    expect(shown).toHaveLength(published.length);
    const sum = (all: readonly Record<string, unknown>[]) =>
      all.reduce((total, row) => total + Number(row.cost_micros), 0);
    expect(sum(shown)).toBe(sum(published));
    const json = await ask(path.replace('.csv', '.json'));
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(sum(JSON.parse(json.body))).toBe(sum(published));
  });

  it('reads only the columns, accounts, days and values that were chosen, whatever its address asks', async () => {
    const { make, rows, ask } = await served();
    const all = await rows((await make('--table', 'spend')).path);
    expect(accountsIn(all)).toEqual([...ACCOUNTS]);
    const name = all.find((row) => row.customer_id === FIRST)?.campaign_name ?? '';
    const fixed = [
      '--customer',
      FIRST,
      '--from',
      '2026-11-15',
      '--to',
      '2026-11-18',
      '--where',
      `campaign_name=${name}`,
    ];
    const { path } = await make('--table', 'spend', ...fixed, '--columns', 'customer_id,date,cost_micros');
    const own = await rows(path);
    expect(own).toHaveLength(4);
    expect(Object.keys(own[0] ?? {})).toEqual(['customer_id', 'date', 'cost_micros']);
    expect(await rows(`${path}&from=2026-11-17&columns=date`)).toEqual([
      { date: '2026-11-17' },
      { date: '2026-11-18' },
    ]);
    expect(await rows(`${path}&from=2000-01-01&to=2999-12-31`)).toHaveLength(4);
    for (const empty of [`customer_id=${SECOND}`, 'from=2026-11-19', 'to=2026-11-14']) {
      expect([empty, await rows(`${path}&${empty}`)]).toEqual([empty, []]);
    }
    for (const wider of ['columns=campaign_name', 'columns=date,clicks', 'where=1', 'customer_id=1&customer_id=2']) {
      expect([wider, (await ask(`${path}&${wider}`)).status]).toEqual([wider, 400]);
    }
    expect((await ask(`${path}&columns=clicks`)).body).toContain('This link has customer_id, date, cost_micros');
    const narrow = await make('--table', 'spend', '--columns', 'clicks');
    for (const hidden of [`customer_id=${FIRST}`, 'from=2026-11-17']) {
      expect([hidden, (await ask(`${narrow.path}&${hidden}`)).status]).toEqual([hidden, 400]);
    }
  });

  it('makes no SQL of its address, nor of its values', async () => {
    const { make, rows, ask } = await served();
    const { path } = await make('--table', 'spend', '--customer', FIRST);
    const before = await rows(path);
    const texts = [
      "' OR 1=1 --",
      '1) OR (1=1',
      '"date" FROM budget_event --',
      "2026-11-17' OR '1'='1",
      '*',
      ';',
      '\0',
      '',
    ];
    for (const text of texts) {
      // Each link is asked only a few times a minute.
      const asked = await make('--table', 'spend', '--customer', FIRST);
      for (const field of ['from', 'to', 'customer_id', 'columns', 'where', 'sql', 'table']) {
        const { status } = await ask(`${asked.path}&${field}=${encodeURIComponent(text)}`);
        expect([field, text, status]).toEqual([field, text, 400]);
      }
    }
    const tricky = await make('--table', 'spend', '--where', "campaign_name=x' OR '1'='1");
    expect(await rows(tricky.path)).toEqual([]);
    expect(await rows(path)).toEqual(before);
  });

  it('refuses each guessed key and the key of another link alike', async () => {
    const { make, ask } = await served();
    const spend = await make('--table', 'spend');
    const account = await make('--table', 'account');
    const wrong = [
      spend.path.replace(spend.key, account.key),
      spend.path.replace(spend.key, `rl_${'A'.repeat(43)}`),
      spend.path.replace(spend.key, ''),
      spend.path.replace(/\?.*/, ''),
      spend.path.replace(spend.key, spend.key.slice(0, -1)),
      spend.path.replace('.csv', '.parquet'),
      spend.path.replace('spend', 'no_such_table'),
      `/tables/${'x'.repeat(700)}.csv?key=${spend.key}`,
    ];
    const answers = await Promise.all(wrong.map((path) => ask(path)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`))).toEqual(
      new Set(['404 {"error":"No such link. Its address may be incomplete"}']),
    );
    expect((await ask(spend.path)).status).toBe(200);
  });

  it('takes no key from elsewhere, no other method and no other path', async () => {
    const { make, address } = await served();
    const { path, key } = await make('--table', 'spend');
    const bare = path.replace(/\?.*/, '');
    expect(await raw(address, bare, 'GET', { referer: address + path, authorization: `Bearer ${key}` })).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) expect(await raw(address, path, method)).toBe(405);
    const tricks = [
      '/tables/../spend.csv',
      '/tables/..%2fspend.csv',
      '/tables//spend.csv',
      '/tables/spend.csv/',
      '/Tables/spend.csv',
    ];
    for (const trick of [...tricks, '/tables/%00.csv', '/tables/%', '/tables/spend.csv%00']) {
      expect([trick, await raw(address, `${trick}?key=${key}`)]).toEqual([
        trick,
        expect.toSatisfy((status) => [400, 404].includes(status)),
      ]);
    }
  });

  it('answers HEAD without a body, and 304 until the next publication', async () => {
    const { make, ask, product } = await served();
    const { path } = await make('--table', 'spend');
    const first = await ask(path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const head = await ask(path, { method: 'HEAD' });
    expect([head.status, head.body, head.headers.get('etag')]).toEqual([200, '', etag]);
    const same = await ask(path, { headers: { 'if-none-match': `"x", W/${etag}` } });
    expect([same.status, same.body]).toEqual([304, '']);
    expect((await ask(`${path}&columns=date`)).headers.get('etag')).not.toBe(etag);
    expect((await product.run(['publish'])).code).toBe(0);
    expect((await ask(path, { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('ends when it is revoked or its days are over, also for somebody who has an ETag', async () => {
    const { make, ask, link, product } = await served();
    const { path, id } = await make('--table', 'spend');
    const etag = (await ask(path)).headers.get('etag') ?? '';
    expect((await link(['revoke', id, '--by', 'berta'])).code).toBe(0);
    const gone = await ask(path, { headers: { 'if-none-match': etag } });
    expect([gone.status, gone.body]).toEqual([410, '{"error":"This link was revoked"}']);
    expect((await link(['revoke', id])).code).toBe(2);
    expect((await link(['revoke', '99'])).code).toBe(2);
    const short = await make('--table', 'spend', '--days', '1');
    product.execute(`UPDATE read_link SET expires_at = '2026-11-20T11:59:59Z' WHERE id = ${short.id}`);
    expect((await ask(short.path)).body).toBe('{"error":"This link has expired"}');
    const [recorded] = product.rows(`SELECT created_by, revoked_by, expires_at FROM read_link WHERE id = ${id}`);
    expect(recorded).toEqual({ created_by: 'anna', revoked_by: 'berta', expires_at: '2027-05-19T12:00:00Z' });
    const { stdout } = await link(['list', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([{ state: 'revoked' }, { state: 'expired' }]);
  });

  it('is answered 429 when it is asked a thousand times a minute, and other links are not', async () => {
    const { make, ask } = await served();
    const { path } = await make('--table', 'spend');
    const other = await make('--table', 'account');
    // The plugin that counts asks `Date`.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOON) });
    onTestFinished(() => void vi.useRealTimers());
    const answers: number[] = [];
    for (let round = 0; round < 1000; round += 50) {
      const some = Array.from({ length: 50 }, () => ask(path, { method: 'HEAD' }));
      answers.push(...(await Promise.all(some)).map(({ status }) => status));
    }
    expect(answers.filter((status) => status === 200)).toHaveLength(30);
    expect(answers.filter((status) => status === 429)).toHaveLength(970);
    expect((await ask(path)).headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await ask(other.path)).status).toBe(200);
  });

  it('limits the guesses of one address before it looks for a link', async () => {
    const { ask } = await served();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOON) });
    onTestFinished(() => void vi.useRealTimers());
    const guess = (round: number) => ask(`/tables/spend.csv?key=rl_${round}`);
    const answers: number[] = [];
    for (let round = 0; round < 70; round += 1) answers.push((await guess(round)).status);
    expect(answers).toEqual([...Array(60).fill(404), ...Array(10).fill(429)]);
  });

  it('keeps its key out of logs, errors, headers, pages and files', async () => {
    const { make, ask, stderr, product } = await served();
    const { path, key } = await make('--table', 'spend');
    const good = await ask(path);
    expect(good.headers.get('referrer-policy')).toBe('no-referrer');
    expect(good.headers.get('cache-control')).toBe('private, no-cache');
    const bad = await ask(`${path}&columns=${key}`);
    expect(bad.headers.get('referrer-policy')).toBe('no-referrer');
    const texts = [good.body, bad.body, stderr(), JSON.stringify([...good.headers, ...bad.headers])];
    texts.push(JSON.stringify(product.rows('SELECT * FROM read_link')));
    const data = join(product.folder, 'data');
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((one) =>
      statSync(join(data, one)).isFile(),
    );
    for (const file of files) texts.push(readFileSync(join(data, file), 'latin1'));
    for (const text of texts) expect(text.includes(key)).toBe(false);
    expect(stderr()).toMatch(/Link 1 was read from 127\.0\.0\.1\./);
    expect(stderr()).toMatch(/Refused GET \/tables\/:file with 400/);
  });

  it('reads a saved question, within its accounts, until the question is deleted', async () => {
    const { make, rows, ask, question, product } = await served();
    await question(
      'Cost & day, "all"',
      'SELECT customer_id, date, sum(cost_micros) AS spent FROM spend GROUP BY 1, 2 -- all',
    );
    const { path } = await make('--question', 'Cost & day, "all"', '--customer', FIRST);
    const shown = await rows(path);
    expect([accountsIn(shown), shown.length]).toEqual([[FIRST], 7]);
    expect(await rows(`${path}&from=2026-11-19&columns=date`)).toEqual([{ date: '2026-11-19' }]);
    product.execute("UPDATE saved_question SET query = 'SELECT 1 AS customer_id FROM no_such_table'");
    expect((await ask(path)).status).toBe(410);
    product.execute('DELETE FROM saved_question');
    const gone = await ask(path);
    expect([gone.status, gone.body]).toEqual([410, '{"error":"The question of this link does not exist"}']);
  });

  it('keeps a question within the condition around it', async () => {
    const { link, question } = await served();
    const escapes = [
      `SELECT customer_id FROM spend) AS a UNION ALL SELECT customer_id FROM (SELECT customer_id FROM spend`,
      `SELECT customer_id AS "(" FROM spend) AS a -- `,
      'SELECT customer_id AS [(] FROM spend) AS a UNION ALL SELECT 1 FROM (SELECT 1 AS [)]',
      String.raw`SELECT customer_id, E'\'(' FROM spend) AS a UNION SELECT 1, ')'`,
      'SELECT customer_id FROM spend /*',
      `SELECT customer_id, $a$)$a$ FROM spend`,
      `SELECT customer_id, query_to_xml('SELECT * FROM budget_' || 'event', true, true, '') FROM spend`,
      'SELECT customer_id FROM U&"budget!005fevent" UESCAPE \'!\'',
    ];
    for (const [index, query] of escapes.entries()) {
      await question(`escape ${index}`, query);
      const { code, stdout } = await link(['create', '--question', `escape ${index}`, '--customer', FIRST]);
      expect([query, code, stdout]).toEqual([query, 2, '']);
    }
  });

  it('reads clicks and the record only if they are named', async () => {
    const { product, link, make, rows, question } = await served();
    writeFolder(product.folder, 'models', {
      'renamed.sql': 'SELECT customer_id, date, touch AS who FROM clicked',
      'above.sql': 'SELECT who AS person FROM renamed',
    });
    expect(await product.run(['publish'])).toMatchObject({ code: 0 });
    for (const [name, query] of [
      ['runs', 'SELECT id, command FROM run'],
      ['quoted', `SELECT id FROM 'run' AS "Run"`],
      ['clicks', 'SELECT touch FROM clicked'],
      ['through a model', 'SELECT who FROM renamed'],
      ['through two', 'SELECT person FROM above'],
    ] as const) {
      await question(name, query);
      const refused = await link(['create', '--question', name]);
      expect([name, refused.code, refused.stderr]).toEqual([
        name,
        2,
        expect.stringContaining('the link does not name'),
      ]);
    }
    const { path } = await make('--question', 'runs', '--with', 'run');
    expect(await rows(path)).toHaveLength(1);
    expect(await rows((await make('--table', 'run')).path)).toHaveLength(1);
  });

  it('ends with the table that it reads', async () => {
    const { make, ask, product } = await served();
    const { path } = await make('--table', 'spend');
    product.execute(`UPDATE read_link SET name = 'spent'`);
    const gone = await ask(path.replace('spend', 'spent'));
    expect([gone.status, gone.body]).toEqual([410, '{"error":"The table of this link does not exist"}']);
  });

  it('shows formulas as text', async () => {
    const { make, rows, question } = await served();
    await question('formulas', `SELECT '=1+1' AS cell, '=HYPERLINK("http://x")' AS "=head"`);
    const { path } = await make('--question', 'formulas');
    expect(await rows(path)).toEqual([{ cell: "'=1+1", "'=head": `'=HYPERLINK("http://x")` }]);
  });

  it('refuses more rows than its limit instead of sending a part', async () => {
    const { make, ask, question } = await served();
    const numbers =
      'WITH d(n) AS (SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6) SELECT a.n AS x FROM d AS a, d AS b, d AS c, d AS e, d AS f, d AS g';
    await question('large', numbers);
    const { path } = await make('--question', 'large');
    const { status, body } = await ask(path);
    expect([status, body]).toEqual([400, expect.stringContaining('more than 100,000 rows')]);
  });

  it('reads while budgets are frozen', async () => {
    const { make, rows, product } = await served();
    expect((await product.run(['freeze', '--why', 'prices are wrong'])).code).toBe(0);
    expect((await rows((await make('--table', 'spend')).path)).length).toBeGreaterThan(0);
  });

  it.each([
    ['no table and no question', []],
    ['both', ['--table', 'spend', '--question', 'x']],
    ['an unknown table', ['--table', 'nothing']],
    ['an unknown question', ['--question', 'nothing']],
    ['an unknown column', ['--table', 'spend', '--columns', 'nothing']],
    ['a repeated column', ['--table', 'spend', '--columns', 'date', 'date']],
    ['accounts of a table without them', ['--table', 'as_of', '--customer', FIRST]],
    ['days of a table without them', ['--table', 'account', '--from', '2026-11-01']],
    ['an invalid account', ['--table', 'spend', '--customer', '1 OR 1=1']],
    ['a condition that is none', ['--table', 'spend', '--where', '1=1; DROP']],
    ['no days', ['--table', 'spend', '--days', '0']],
  ])('is not made for %s', async (_, args) => {
    const { link, product } = await served();
    const { code, stdout } = await link(['create', ...args]);
    expect([code, stdout, product.rows('SELECT count(*) AS links FROM read_link')]).toEqual([2, '', [{ links: 0 }]]);
  });

  it('does not exist while links are off', async () => {
    const { link, ask } = await served({ SERVE_LINKS: 'false' });
    const { code, stderr } = await link(['create', '--table', 'spend']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Read links are off.')]);
    expect((await ask('/tables/spend.csv?key=x')).body).toBe('{"error":"no such path"}');
  });
});

describe('the page of links', () => {
  async function person(links: Links, role: string) {
    const { stdout } = await links.product.run(['serve', 'token', '--role', role, '--name', role]);
    const post = (path: string, fields: Record<string, string>, cookie = '') =>
      fetch(links.address + path, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
        headers: { cookie, origin: links.address },
      });
    const cookie = (await post('/login', { token: stdout.trim() })).headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = async () => {
      const answer = await fetch(`${links.address}/links`, { headers: { cookie } });
      return { status: answer.status, html: await answer.text() };
    };
    const send = async (fields: Record<string, string>) => {
      const answer = await post('/links', fields, cookie);
      return { status: answer.status, html: await answer.text() };
    };
    return { page, send };
  }
  const formIn = (html: string) => /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';

  it('lets an admin make and revoke a link, with their name on record', async () => {
    const links = await served();
    const { page, send } = await person(links, 'admin');
    const form = formIn((await page()).html);
    const made = await send({ form, table: 'spend', columns: 'customer_id, date', customer: FIRST, days: '30' });
    expect([made.status, made.html]).toEqual([200, expect.stringContaining('does not show it again')]);
    const address = /http[^<\s]+key=rl_[\w-]+/.exec(made.html)?.[0] ?? '';
    const { pathname, search } = new URL(address);
    expect(accountsIn(await links.rows(pathname + search))).toEqual([FIRST]);
    expect((await send({ form, table: 'spend' })).status, 'the form again').toBe(409);
    const shown = (await page()).html;
    expect(shown).not.toContain('rl_');
    const revoked = await send({ form: formIn(shown), revoke: '1' });
    expect(revoked.status).toBe(200);
    expect((await links.ask(pathname + search)).status).toBe(410);
    expect(links.product.rows('SELECT created_by, revoked_by FROM read_link')).toEqual([
      { created_by: 'admin', revoked_by: 'admin' },
    ]);
    expect(links.stderr()).not.toContain(search.slice(5));
  });

  it('shows nothing to others, and takes no form of theirs, of another page or without one', async () => {
    const links = await served();
    const admin = await person(links, 'admin');
    const form = formIn((await admin.page()).html);
    for (const role of ['viewer', 'approver']) {
      const { page, send } = await person(links, role);
      expect([(await page()).status, (await send({ form, table: 'spend' })).status]).toEqual([404, 403]);
    }
    expect((await admin.send({ form: 'x', table: 'spend' })).status).toBe(403);
    expect((await admin.send({ form, revoke: '1 OR 1' })).status).toBe(400);
    const smuggled = await admin.send({ form, table: 'spend\n--with=run', columns: '--customer=1' });
    expect(smuggled.status).toBe(409);
    expect(links.product.rows('SELECT count(*) AS links FROM read_link')).toEqual([{ links: 0 }]);
  });
});
