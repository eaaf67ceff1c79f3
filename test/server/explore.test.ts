import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TooManyQueries } from '../../src/dashboard/explore/explore-source.ts';
import type { QuestionOrder } from '../../src/dashboard/explore/keep-question.ts';
import type { ModelOrder } from '../../src/dashboard/explore/save-model.ts';
import { addToken, revokeToken } from '../../src/dashboard/server/access-tokens.ts';
import type { Role } from '../../src/domain/role.ts';
import { NOON } from '../support/world.ts';
import { SAME_ORIGIN, statusServer } from './status-server.ts';

const ROWS = { kind: 'rows', columns: ['x'], rows: [['1']], count: 1, isWhole: true } as const;
const saved: ModelOrder[] = [];
const cancelled: string[] = [];
const kept: QuestionOrder[] = [];
/** Of somebody else, and its table is gone. */
const GONE = {
  id: '7',
  name: 'Old',
  sentence: 'It answered.',
  query: 'wrong',
  chart: 'kind=bar',
  savedBy: 'person0',
  savedAt: NOON,
  renamedBy: undefined,
  renamedAt: undefined,
};
const server = await statusServer({
  source: {
    question: async (id) => (id === '7' ? GONE : undefined),
    keepQuestion: async (order) => {
      kept.push(order);
      if (order.act === 'save_question')
        return order.question.name === 'Taken' ? { kind: 'taken' } : { kind: 'kept', id: '9' };
      return order.changing.mayAll ? { kind: 'kept', id: order.changing.id } : { kind: 'gone' };
    },
    saveModel: async (order) => {
      saved.push(order);
      return order.name === 'taken' ? { kind: 'refused', problems: ['models/taken.sql exists.'] } : { kind: 'saved' };
    },
  },
  explore: {
    look: async (sql, gone) => {
      if (sql === 'busy') throw new TooManyQueries('20 queries are already waiting.');
      if (sql === 'wrong') return { kind: 'refused', problems: ['no such column'] };
      if (sql === 'large') return { ...ROWS, count: 100_000, isWhole: false };
      if (sql !== 'endless') return ROWS;
      return new Promise((end) => gone.addEventListener('abort', () => end(ROWS) ?? cancelled.push(sql)));
    },
    download: async (sql) => {
      if (sql === 'wrong') return { kind: 'refused', problems: ['no such column'] };
      return (async function* () {
        yield Buffer.from('"x"\r\n');
        if (sql === 'late') throw new Error('The query ran for more than 10 seconds.');
      })();
    },
    close: () => undefined,
  },
});

const address = (fields: Readonly<Record<string, string>>) => `/explore?${new URLSearchParams(fields)}`;
let people = 0;

async function loggedIn(role: Role) {
  people += 1;
  const name = `person${people}`;
  return { name, headers: { cookie: await server.session({ name, role }), ...SAME_ORIGIN } };
}

/** The form that the page of the query got. */
async function formOf(headers: Readonly<Record<string, string>>, sql = 'SELECT 1'): Promise<string> {
  await server.send(address({ sql }), { headers });
  return server.asked.at(-1)?.form ?? '';
}

const save = (headers: Readonly<Record<string, string>>, fields: Readonly<Record<string, string>>) =>
  server.send('/explore', { method: 'POST', headers, body: new URLSearchParams(fields) });

describe('the Explore page', () => {
  it('needs a login, and runs nothing before', async () => {
    addToken(server.tokensPath, { name: 'one', role: 'viewer' }, NOON);
    expect((await server.send(address({ sql: 'SELECT 1' }))).status).toBe(401);
    expect((await save(SAME_ORIGIN, { sql: 'SELECT 1', name: 'x' })).status).toBe(401);
    expect(server.asked).toEqual([]);
  });

  it('shows each role the rows of a query', async () => {
    for (const role of ['viewer', 'approver', 'admin'] as const) {
      const { headers } = await loggedIn(role);
      expect((await server.send(address({ sql: 'SELECT 1' }), { headers })).status).toBe(200);
      expect(server.asked.at(-1)).toMatchObject({ path: '/explore', role, explored: ROWS });
      expect(server.asked.at(-1)?.form === undefined, role).toBe(role === 'viewer');
    }
  });

  it('answers 400 to a wrong query, 503 to too many, and 414 to a long one', async () => {
    const { headers } = await loggedIn('viewer');
    const statusOf = async (fields: Readonly<Record<string, string>>) =>
      (await server.send(address(fields), { headers })).status;
    expect(await statusOf({ sql: 'wrong' })).toBe(400);
    expect(await statusOf({ sql: 'wrong', format: 'csv' })).toBe(400);
    expect(await statusOf({ sql: 'busy' })).toBe(503);
    expect(await statusOf({ sql: 'x'.repeat(8000) })).toBe(200);
    expect(await statusOf({ sql: 'x'.repeat(8200) })).toBe(414);
    expect(await statusOf({ sql: 'x'.repeat(1_000_000) })).toBe(431);
    expect((await server.send(`/runs?x=${'x'.repeat(5100)}`, { headers })).status).toBe(414);
  });

  it('sends CSV as a file, and breaks off when the query ends early', async () => {
    const { headers } = await loggedIn('viewer');
    const file = await server.send(address({ sql: 'SELECT 1', format: 'csv' }), { headers });
    expect([file.body, file.headers.get('content-type')]).toEqual(['"x"\r\n', 'text/csv; charset=utf-8']);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="explore.csv"');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    await expect(server.send(address({ sql: 'late', format: 'csv' }), { headers })).rejects.toThrow();
  });

  it('ends the query of a visitor who leaves', async () => {
    const { headers } = await loggedIn('viewer');
    const visit = new AbortController();
    const page = server.send(address({ sql: 'endless' }), { headers, signal: visit.signal });
    // The next answer shows that the server has read the first request.
    await server.send(address({ sql: 'SELECT 1' }), { headers });
    visit.abort();
    await expect(page).rejects.toThrow();
    await expect.poll(() => cancelled).toEqual(['endless']);
  });
});

it('a reader that takes nothing of its download is disconnected, and the query ends', async () => {
  let onEnded = (): void => undefined;
  const ended = new Promise<void>((end) => {
    onEnded = end;
  });
  const stalling = await statusServer({
    requestTimeoutMs: 100,
    explore: {
      look: async () => ROWS,
      download: async () =>
        (async function* () {
          try {
            for (;;) yield Buffer.alloc(1024 * 1024);
          } finally {
            onEnded();
          }
        })(),
      close: () => undefined,
    },
  });
  const cookie = await stalling.session();
  const reader = connect(Number(new URL(stalling.address).port), '127.0.0.1');
  onTestFinished(() => void reader.destroy());
  reader.on('error', () => undefined);
  reader.write(`GET /explore?sql=x&format=csv HTTP/1.1\r\nhost: h\r\ncookie: ${cookie}\r\n\r\n`);
  await once(reader, 'readable');
  await ended;
});

describe('saving a query as a model', () => {
  it('is for admins, and the log has the name of the token', async () => {
    const { name, headers } = await loggedIn('admin');
    const form = await formOf(headers, 'SELECT 1\r\nAS x');
    const answer = await save(headers, { sql: 'SELECT 1\r\nAS x', name: 'best_days', form });
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('models/best_days.sql is saved.')]);
    expect(saved.splice(0)).toEqual([{ name: 'best_days', sql: 'SELECT 1\nAS x', by: name }]);
    expect(server.log).toContain(`Model best_days saved by ${name} from 127.0.0.1.`);
  });

  it('is refused to others, to bearer tokens, and to forms of other sites', async () => {
    const admin = await loggedIn('admin');
    const form = await formOf(admin.headers);
    const fields = { sql: 'SELECT 1', name: 'm', form };
    for (const role of ['viewer', 'approver'] as const) {
      expect((await save((await loggedIn(role)).headers, fields)).status).toBe(403);
    }
    expect((await save((await loggedIn('admin')).headers, fields)).status, 'another session').toBe(403);
    const { cookie } = admin.headers;
    expect((await save({ cookie, 'sec-fetch-site': 'cross-site' }, fields)).status).toBe(403);
    expect((await save({ cookie, origin: 'https://evil.example' }, fields)).status).toBe(403);
    const token = addToken(server.tokensPath, { name: 'program', role: 'admin' }, NOON);
    expect((await save({ authorization: `Bearer ${token}`, ...SAME_ORIGIN }, fields)).status).toBe(403);
    expect(saved).toEqual([]);
    revokeToken(server.tokensPath, admin.name);
    expect((await save(admin.headers, fields)).status, 'a revoked token').toBe(401);
    expect(saved).toEqual([]);
  });

  it('takes each form once, and only for its own query', async () => {
    const { headers } = await loggedIn('admin');
    const form = await formOf(headers);
    expect((await save(headers, { sql: 'SELECT 2', name: 'm', form })).status).toBe(403);
    expect((await save(headers, { sql: 'SELECT 1', name: 'm', form: `${form.slice(0, -1)}?` })).status).toBe(403);
    expect((await save(headers, { sql: 'SELECT 1', name: 'm' })).status).toBe(403);
    expect((await save(headers, { sql: 'SELECT 1', name: 'taken', form })).status).toBe(409);
    expect((await save(headers, { sql: 'SELECT 1', name: 'm', form })).status).toBe(409);
    expect(saved.splice(0).map(({ name }) => name)).toEqual(['taken']);
  });

  it('refuses a query that Explore cannot run to its end', async () => {
    const { headers } = await loggedIn('admin');
    const answer = await save(headers, { sql: 'large', name: 'm', form: await formOf(headers, 'large') });
    const words = 'The query is too large: Explore read only 100000 rows.';
    expect([answer.status, answer.body]).toEqual([409, expect.stringContaining(words)]);
    expect(saved).toEqual([]);
  });

  it.each(['../x', 'a/b', '..', '', 'A', 'a.sql', 'a\u0000', '1a', 'a'.repeat(64)])(
    'refuses the name "%s"',
    async (name) => {
      const { headers } = await loggedIn('admin');
      expect((await save(headers, { sql: 'SELECT 1', name, form: await formOf(headers) })).status).toBe(400);
      expect(saved).toEqual([]);
    },
  );
});

describe('a saved question', () => {
  const QUESTION = { act: 'save_question', sql: 'SELECT 1', name: 'Best days', sentence: 'Which days are best?' };
  const formOfSeven = async (headers: Readonly<Record<string, string>>) => {
    await server.send('/explore?question=7', { headers });
    return server.asked.at(-1)?.form ?? '';
  };

  it('is kept with its author and chart, and the browser opens it', async () => {
    const { name, headers } = await loggedIn('approver');
    const chart = { x: 'date', series: '', kind: 'stacked', y: 'cost & more' };
    const answer = await save(headers, { ...QUESTION, name: ' Best\n days ', ...chart, form: await formOf(headers) });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, './explore?question=9']);
    const { sql: query, sentence } = QUESTION;
    expect(kept.splice(0)).toEqual([
      {
        act: 'save_question',
        question: {
          name: 'Best days',
          sentence,
          query,
          chart: 'x=date&y=cost+%26+more&series=&kind=stacked',
          savedBy: name,
        },
      },
    ]);
    expect(server.log).toContain(`Question 9 saved by ${name} from 127.0.0.1.`);
  });

  it('is never replaced', async () => {
    const { headers } = await loggedIn('approver');
    const answer = await save(headers, { ...QUESTION, name: 'Taken', form: await formOf(headers) });
    expect([answer.status, answer.body]).toEqual([409, expect.stringContaining('Choose another name.')]);
    kept.length = 0;
  });

  it.each([
    ['no name', { name: '' }, 400],
    ['a name of spaces', { name: ' \u0000\n ' }, 400],
    ['a long name', { name: 'x'.repeat(81) }, 400],
    ['no sentence', { sentence: '' }, 400],
    ['a long sentence', { sentence: 'x'.repeat(301) }, 400],
    ['an unknown act', { act: 'drop_question' }, 400],
    ['another query than that of its form', { sql: 'SELECT 2' }, 403],
    ['no form', { form: '' }, 403],
  ])('is not kept with %s', async (_sentence, fields, status) => {
    const { headers } = await loggedIn('approver');
    const form = await formOf(headers);
    expect((await save(headers, { ...QUESTION, form, ...fields })).status).toBe(status);
    expect(kept).toEqual([]);
  });

  it('is not kept if its query fails', async () => {
    const { headers } = await loggedIn('approver');
    const form = await formOf(headers, 'wrong');
    const answer = await save(headers, { ...QUESTION, sql: 'wrong', form });
    expect([answer.status, answer.body]).toEqual([409, expect.stringContaining('no such column')]);
    expect(kept).toEqual([]);
  });

  it('is opened by a viewer, who cannot forge an act on it', async () => {
    const admin = await loggedIn('admin');
    const form = await formOfSeven(admin.headers);
    const { headers } = await loggedIn('viewer');
    const page = await server.send('/explore?question=7', { headers });
    // Its table is gone, so its page says why.
    expect(page.status).toBe(400);
    expect(server.asked.at(-1)).toMatchObject({
      role: 'viewer',
      form: undefined,
      question: { ...GONE, isOwn: false },
      explored: { kind: 'refused' },
    });
    for (const act of ['save_question', 'rename_question', 'delete_question']) {
      const forged = { ...QUESTION, act, sql: 'wrong', question: '7', form };
      expect((await save(headers, forged)).status, act).toBe(403);
    }
    expect(kept).toEqual([]);
  });

  it('is renamed and deleted by admins, and by nobody else than its author', async () => {
    const approver = await loggedIn('approver');
    const change = { act: 'delete_question', question: '7' };
    const refused = await save(approver.headers, { ...change, form: await formOfSeven(approver.headers) });
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('Only its author and admins')]);
    const changing = { id: '7', by: approver.name, mayAll: false };
    expect(kept.splice(0)).toEqual([{ act: 'delete_question', changing }]);
    const { name, headers } = await loggedIn('admin');
    const renaming = { ...change, act: 'rename_question', name: 'New', sentence: 'It fails.' };
    const renamed = await save(headers, { ...renaming, form: await formOfSeven(headers) });
    expect(renamed.headers.get('location')).toBe('./explore?question=7');
    const deleted = await save(headers, { ...change, form: await formOfSeven(headers) });
    expect([deleted.status, deleted.headers.get('location')]).toEqual([303, './explore']);
    expect(kept.splice(0)).toMatchObject([{ name: 'New' }, { changing: { id: '7', by: name, mayAll: true } }]);
    // The form of one question is no form of another one.
    const form = await formOfSeven(headers);
    expect((await save(headers, { ...change, question: '8', form })).status).toBe(403);
  });

  it('that does not exist is a page of its own', async () => {
    const { headers } = await loggedIn('viewer');
    for (const id of ['8', '9'.repeat(15), '9'.repeat(16), '9'.repeat(40), '-7', '07', 'x', '%00']) {
      expect([id, (await server.send(`/explore?question=${id}`, { headers })).status]).toEqual([id, 404]);
    }
    expect((await server.send('/explore?question=', { headers })).status).toBe(200);
  });

  it('with another query is only that query', async () => {
    const { headers } = await loggedIn('viewer');
    await server.send('/explore?question=7&sql=SELECT+1', { headers });
    expect(server.asked.at(-1)).toMatchObject({ question: undefined, explored: ROWS });
  });
});
