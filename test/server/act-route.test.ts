import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AskedAct } from '../../src/dashboard/inbox/acts.ts';
import { addToken, revokeToken } from '../../src/dashboard/server/access-tokens.ts';
import type { RunAct } from '../../src/dashboard/server/act-route.ts';
import type { CheckedAct } from '../../src/dashboard/status/page-source.ts';
import { NOON } from '../support/world.ts';
import { SAME_ORIGIN, statusServer } from './status-server.ts';

const POSSIBLE: CheckedAct = {
  kind: 'possible',
  change: { name: '<Shoes>', words: '60.00 to 51.00.' },
  seen: 'S',
  command: ['budgets', 'x'],
};

/** What was run, and how effects and runs end from now on. */
const ran: (readonly string[])[] = [];
let effect: (asked: AskedAct) => Promise<CheckedAct>;
let run: RunAct;

const options = {
  runAct: async (args: readonly string[]) => {
    ran.push(args);
    return run(args);
  },
  source: {
    effect: (asked: AskedAct) => effect(asked),
    render: async ({ form = '' }) => ({ status: 200, html: `form:${form}:` }),
  },
};
const server = await statusServer(options);
const restarted = await statusServer(options);

beforeEach(() => {
  ran.length = 0;
  effect = async () => POSSIBLE;
  run = async () => ({ exitCode: 0, text: 'CHANGED Shoes' });
});

type Role = 'viewer' | 'approver' | 'admin';

const loggedIn = (role: Role = 'approver', name: string = role, at = server) => at.session({ name, role });

const query = (act: string, on: string) => `?${new URLSearchParams({ act, on })}`;

async function proofOf(cookie: string, act = 'approve', on = 'K7PX', at = server): Promise<string> {
  const { body } = await at.send(`/inbox${query(act, on)}`, { headers: { cookie } });
  return /form:(.*):/.exec(body)?.[1] ?? '';
}

type Fields = Readonly<Record<string, string>>;

const FORM: Fields = { act: 'approve', on: 'K7PX', seen: 'S', why: 'agreed' };

const post = (cookie: string, fields: Fields, headers: Fields = SAME_ORIGIN) =>
  server.send('/inbox', {
    method: 'POST',
    body: new URLSearchParams({ ...FORM, ...fields }),
    headers: { cookie, ...headers },
  });

/** As a person does it: looks at the page, then sends its form. */
const sendForm = async (cookie: string, fields: Fields = {}, headers?: Fields) =>
  post(cookie, { form: await proofOf(cookie, fields.act, fields.on), ...fields }, headers);

const later = (ms: number) => server.clock.set(new Date(server.clock.now() + ms).toISOString());
const HOUR = 3_600_000;

describe('an act', () => {
  it.each(['approver', 'admin'] as const)('of the role %s runs the command with name and reason', async (role) => {
    const { status, body } = await sendForm(await loggedIn(role, 'anna'), {
      why: ' agreed\r\nwith\u0000 the\u001b[2J client ',
    });
    expect([status, body]).toEqual([200, expect.stringContaining('&lt;Shoes&gt;</bdi>: 60.00 to 51.00.')]);
    expect(ran).toEqual([['budgets', 'x', '--by=anna', '--why=agreed with the [2J client']]);
    expect(server.log.at(-1)).toBe('Approve K7PX by anna from 127.0.0.1: done.');
  });

  it('of who has seen an alert needs no reason, and passes none', async () => {
    const asked = { act: 'acknowledge', on: 'A7' };
    const { status } = await sendForm(await loggedIn('approver', 'anna'), { ...asked, why: '' });
    expect([status, ran]).toEqual([200, [['budgets', 'x', '--by=anna']]]);
  });

  it('of a viewer is refused, and a viewer’s page has no form', async () => {
    const cookie = await loggedIn('viewer');
    expect(await proofOf(cookie)).toBe('');
    const { status, body } = await post(cookie, { form: await proofOf(await loggedIn('approver')) });
    expect([status, body, ran]).toEqual([403, expect.stringContaining('which cannot decide'), []]);
  });

  it('of a program with a bearer token is refused, even beside a login', async () => {
    const cookie = await loggedIn();
    const token = addToken(server.tokensPath, { name: 'program', role: 'admin' }, NOON);
    const form = await proofOf(cookie);
    const answer = await post(cookie, { form }, { ...SAME_ORIGIN, authorization: `Bearer ${token}` });
    expect([answer.status, ran]).toEqual([403, []]);
  });

  it('of a token without a role, as they were before there were roles, is refused', async () => {
    const cookie = await loggedIn();
    const form = await proofOf(cookie);
    writeFileSync(server.tokensPath, readFileSync(server.tokensPath, 'utf8').replace('"role": "approver",', ''));
    expect([(await post(cookie, { form })).status, ran]).toEqual([403, []]);
  });

  it('after the token was revoked is answered with the login page, and nothing is done', async () => {
    const cookie = await loggedIn();
    const form = await proofOf(cookie);
    addToken(server.tokensPath, { name: 'other', role: 'viewer' }, NOON);
    revokeToken(server.tokensPath, 'approver');
    expect([(await post(cookie, { form })).status, ran]).toEqual([401, []]);
  });

  it('after logging out is answered with the login page, even with a copy of the cookie', async () => {
    const cookie = await loggedIn();
    const form = await proofOf(cookie);
    await server.send('/logout', { method: 'POST', headers: { cookie, ...SAME_ORIGIN } });
    expect([(await post(cookie, { form })).status, ran]).toEqual([401, []]);
  });

  it('after the end of the session is there again after a login, with its reason, and nothing is done before', async () => {
    const cookie = await loggedIn();
    const form = await proofOf(cookie);
    later(12 * HOUR);
    const why = 'Ünïcode & "quotes", 100 % of it '.repeat(15).trim();
    const answer = await post(cookie, { form, why });
    expect([answer.status, ran]).toEqual([401, []]);
    expect(answer.body).toContain('Your login has ended. Log in to continue.');
    const next = /name="next" value="([^"]*)"/.exec(answer.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const again = await server.logIn(server.token(), { next });
    expect([again.status, again.headers.get('location')]).toEqual([303, `.${next}`]);
    expect(new URLSearchParams(next.split('?')[1])).toEqual(new URLSearchParams({ act: 'approve', on: 'K7PX', why }));
    expect((await server.send(next, { headers: { cookie: await loggedIn('approver', 'later') } })).status).toBe(200);
  });

  it.each<[sentence: string, fields: Fields, status: number]>([
    ['an unknown act', { act: 'adopt' }, 400],
    ['a property of objects as act', { act: 'constructor' }, 400],
    ['no act', { act: '' }, 400],
    ['an option as code', { on: '--data-dir=/tmp' }, 400],
    ['a code in lower case', { on: 'k7px' }, 400],
    ['a change without its letter', { act: 'undo', on: '12' }, 400],
    ['a number of twenty digits', { act: 'silence', on: 'A10000000000000000000' }, 400],
    ['a freeze of something', { act: 'freeze', on: 'K7PX' }, 400],
    ['no reason', { why: '' }, 400],
    ['a reason of control characters', { why: '\u0000\r\n\t\u0007' }, 400],
    ['a reason of 501 characters', { why: 'x'.repeat(501) }, 400],
    ['a silence without a duration', { act: 'silence', on: 'A7' }, 400],
    ['a silence of a year', { act: 'silence', on: 'A7', for: '365d' }, 400],
    ['a duration that is a property of objects', { act: 'silence', on: 'A7', for: 'toString' }, 400],
    ['9 KB', { why: 'x'.repeat(9000) }, 413],
  ])('with %s is refused', async (_sentence, fields, status) => {
    const answer = await sendForm(await loggedIn(), fields);
    expect([answer.status, ran]).toEqual([status, []]);
  });

  it('takes a reason of 500 characters that looks like an option', async () => {
    const why = `--by=ceo ${'x'.repeat(491)}`;
    expect((await sendForm(await loggedIn(), { why })).status).toBe(200);
    expect(ran[0]?.slice(2)).toEqual(['--by=approver', `--why=${why}`]);
  });

  it('uses the first of repeated fields, which the proof covers', async () => {
    const cookie = await loggedIn();
    const body = new URLSearchParams({ ...FORM, form: await proofOf(cookie) });
    body.append('act', 'unfreeze');
    const headers = { cookie, ...SAME_ORIGIN };
    expect((await server.send('/inbox', { method: 'POST', body, headers })).status).toBe(200);
    expect(server.log.at(-1)).toContain('Approve K7PX');
  });
});

describe('the form of an act', () => {
  it.each<[sentence: string, headers: Fields]>([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbouring site', { 'sec-fetch-site': 'same-site' }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['of a hidden origin', { origin: 'null' }],
    ['without an origin', {}],
  ])('%s is refused', async (_sentence, headers) => {
    expect([(await sendForm(await loggedIn(), {}, headers)).status, ran]).toEqual([403, []]);
  });

  it('is accepted from its own origin, if the browser sends only that', async () => {
    expect((await sendForm(await loggedIn(), {}, { origin: server.address })).status).toBe(200);
  });

  it('is refused without a proof, with a changed one, and with one of another act, subject or login', async () => {
    const cookie = await loggedIn();
    const own = await proofOf(cookie);
    const proofs = [
      '',
      own.replace(/^\d+/, (ms) => String(Number(ms) + 1)),
      own.replace(/\w$/, (last) => (last === 'A' ? 'E' : 'A')),
      await proofOf(cookie, 'reject'),
      await proofOf(cookie, 'approve', 'ABCD'),
      await proofOf(await loggedIn('admin')),
    ];
    for (const form of proofs) {
      const { status, body } = await post(cookie, { form });
      expect([status, body]).toEqual([403, expect.stringContaining('Nothing was changed')]);
    }
    expect(ran).toEqual([]);
    expect((await post(cookie, { form: own })).status, 'the proof is still unused').toBe(200);
  });

  it('of another login of the same token is refused', async () => {
    const token = addToken(server.tokensPath, { name: 'anna', role: 'approver' }, NOON);
    const cookieOf = async () => (await server.logIn(token)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const form = await proofOf(await cookieOf());
    expect([(await post(await cookieOf(), { form })).status, ran]).toEqual([403, []]);
  });

  it('of before a restart is refused with a page that says so', async () => {
    const form = await proofOf(await loggedIn('approver', 'anna', restarted), 'approve', 'K7PX', restarted);
    const { status, body } = await post(await loggedIn(), { form });
    expect([status, body]).toEqual([403, expect.stringContaining('before a restart')]);
  });

  it('counts once, even if it is sent twenty times at once', async () => {
    const cookie = await loggedIn();
    const form = await proofOf(cookie);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(cookie, { form })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toContain('already sent');
    expect(ran).toHaveLength(1);
  });

  it('is valid for an hour', async () => {
    const cookie = await loggedIn();
    const forms = [await proofOf(cookie), await proofOf(cookie)];
    later(HOUR - 1);
    expect((await post(cookie, { form: forms[0] ?? '' })).status).toBe(200);
    later(1);
    const { status, body } = await post(cookie, { form: forms[1] ?? '' });
    expect([status, body, ran.length]).toEqual([409, expect.stringContaining('older than an hour'), 1]);
  });

  it('is refused if the effect changed since the page was made', async () => {
    const { status, body } = await sendForm(await loggedIn(), { seen: 'older' });
    expect([status, body, ran]).toEqual([409, expect.stringContaining('It changed after you opened'), []]);
  });

  it('is refused if somebody has decided, and the page says who', async () => {
    effect = async () => ({ kind: 'gone', reason: 'Proposal K7PX is rejected, by <berta>.' });
    const { status, body } = await sendForm(await loggedIn());
    expect([status, body, ran]).toEqual([409, expect.stringContaining('rejected, by &lt;berta&gt;.'), []]);
  });

  it('is refused if the effect cannot be checked', async () => {
    effect = async () => {
      throw new Error('20 pages are already waiting.');
    };
    const { status, body } = await sendForm(await loggedIn());
    expect([status, body, ran]).toEqual([503, expect.stringContaining('20 pages are already waiting.'), []]);
  });

  it('cannot be framed or stored, nor can its answer', async () => {
    const { headers } = await sendForm(await loggedIn());
    expect([headers.get('x-frame-options'), headers.get('cache-control')]).toEqual(['DENY', 'no-store']);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

describe('a failing command', () => {
  it.each<[sentence: string, exitCode: number | null, words: string]>([
    ['with its exit code', 1, 'exit code 1'],
    ['that was killed', null, 'no exit code'],
  ])('is shown %s, its output and how things stand', async (_sentence, exitCode, words) => {
    run = async () => ({ exitCode, text: 'error: <b>frozen</b> by berta' });
    const { status, body } = await sendForm(await loggedIn());
    expect(status).toBe(409);
    for (const part of [words, '&lt;b&gt;frozen&lt;/b&gt; by berta', 'Nothing was changed.'])
      expect(body).toContain(part);
    expect(server.log.at(-1)).toBe(`Approve K7PX by approver from 127.0.0.1: failed, exit code ${exitCode ?? 'none'}.`);
  });

  it('that did make the change is not called undone', async () => {
    run = async () => {
      effect = async () => ({ kind: 'gone', reason: 'Proposal K7PX is approved, by approver.' });
      return { exitCode: 1, text: 'The alert was not sent.' };
    };
    const { body } = await sendForm(await loggedIn());
    expect(body).toContain('Proposal K7PX is approved');
    expect(body).not.toContain('Nothing was changed');
  });
});

/** Runs that end when the test says so, in the order in which they began. */
function heldRuns(): { readonly next: () => Promise<() => void> } {
  const begun: (() => void)[] = [];
  const waiting: ((end: () => void) => void)[] = [];
  run = () =>
    new Promise((resolve) => {
      const end = () => resolve({ exitCode: 0, text: '' });
      const told = waiting.shift();
      if (told) told(end);
      else begun.push(end);
    });
  const next = () =>
    new Promise<() => void>((resolve) => {
      const end = begun.shift();
      if (end) resolve(end);
      else waiting.push(resolve);
    });
  return { next };
}

describe('acts at the same time', () => {
  it('run one after the other, and a freeze passes them without a page', async () => {
    const cookie = await loggedIn();
    const { next } = heldRuns();
    const first = sendForm(cookie);
    const endFirst = await next();
    const second = sendForm(cookie, { act: 'undo', on: 'B3' });
    effect = async () => {
      throw new Error('The thread that makes pages is stuck.');
    };
    const freeze = sendForm(cookie, { act: 'freeze', on: '', seen: '' });
    (await next())();
    expect((await freeze).status).toBe(200);
    expect(ran.map(([command]) => command)).toEqual(['budgets', 'freeze']);
    effect = async () => POSSIBLE;
    endFirst();
    (await next())();
    expect([(await first).status, (await second).status, ran.length]).toEqual([200, 200, 3]);
  });

  it.each<[sentence: string, meanwhile: () => void, status: number]>([
    ['after its token was revoked meanwhile', () => revokeToken(server.tokensPath, 'berta'), 401],
    [
      'after its subject changed meanwhile, such as a freeze with another reason',
      () => {
        effect = async () => ({ ...POSSIBLE, seen: 'newer' });
      },
      409,
    ],
  ])('do not include one that waited, %s', async (_sentence, meanwhile, status) => {
    const cookie = await loggedIn();
    const berta = await loggedIn('approver', 'berta');
    const { next } = heldRuns();
    const first = sendForm(cookie);
    const end = await next();
    const second = sendForm(berta, { act: 'unfreeze', on: '' });
    meanwhile();
    end();
    expect([(await first).status, (await second).status, ran.length]).toEqual([200, status, 1]);
  });

  it('are refused when twenty wait', async () => {
    const cookie = await loggedIn();
    const { next } = heldRuns();
    const forms = await Promise.all(Array.from({ length: 21 }, () => proofOf(cookie)));
    const answers = forms.map((form) => post(cookie, { form }));
    const end = await next();
    const refused = await Promise.race(answers);
    expect([refused.status, refused.body]).toEqual([503, expect.stringContaining('Too many actions are waiting')]);
    run = async () => ({ exitCode: 0, text: '' });
    end();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(20).fill(200), 503]);
  });
});
