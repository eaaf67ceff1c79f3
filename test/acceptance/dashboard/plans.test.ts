import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { NORTHWIND, putNorthwind } from '../../support/northwind-target.ts';
import { copiesOf, createProduct, isChange, type Product } from '../../support/product.ts';
import { TRIM_QUERIES } from '../../support/trim-rule.ts';

const PLAN = {
  mode: 'approve',
  queries: { 'campaign_spend.sql': NORTHWIND.query, ...TRIM_QUERIES },
  rules: {},
  customers: NORTHWIND.customers,
} as const;

const planned = copiesOf(async () => {
  const product = await createProduct(PLAN);
  putNorthwind(product.folder);
  expect((await product.json(['report'])).code).toBe(0);
  return product;
}, PLAN);

const EUR = '4081725530';
const UP = { budget: '11087046455', from: 85_000_000n, to: 170_000_000n };
const DOWN = { budget: '11087092910', from: 45_000_000n, to: 33_510_000n };
const WHY = 'agreed with the client';

type Form = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly page: string;
}

interface Person {
  /** Sends the form of a card, as a browser without a script does. */
  choose(fields: Form): Promise<{ readonly form: Form; readonly page: string }>;
  send(form: Form): Promise<Answer>;
  inbox(): Promise<string>;
}

const textOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

async function opened() {
  const product = await planned();
  putNorthwind(product.folder);
  const rows = product.rows('SELECT code, CAST(budget_id AS TEXT) AS budget FROM budget_proposal');
  const code = ({ budget }: { readonly budget: string }) => String(rows.find((one) => one.budget === budget)?.code);
  const server = await serveInProcess(product.folder, product.env());
  const { address } = server.ready;
  const post = (path: string, fields: Form, cookie = '') =>
    fetch(address + path, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields),
      headers: { cookie, origin: address },
    });
  const person = async (name: string, role = 'approver'): Promise<Person> => {
    const { stdout } = await product.run(['serve', 'token', '--role', role, '--name', name]);
    const login = await post('/login', { token: stdout.trim() });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const read = async (path: string) => (await fetch(address + path, { headers: { cookie } })).text();
    return {
      inbox: () => read('/inbox'),
      async choose(fields) {
        const page = await read(`/inbox?${new URLSearchParams(fields)}`);
        const hidden = page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g);
        return { page, form: Object.fromEntries([...hidden].map(([, key, value]) => [key, value])) };
      },
      async send(form) {
        const answer = await post('/inbox', { ...form, why: WHY }, cookie);
        return { status: answer.status, page: await answer.text() };
      },
    };
  };
  const up = code(UP);
  const down = code(DOWN);
  return {
    product,
    person,
    up,
    down,
    /** The card as it is shown first: everything is chosen, at the proposed amounts. */
    card: { [`on-${up}`]: 'on', [`to-${up}`]: '170.00', [`on-${down}`]: 'on', [`to-${down}`]: '33.51' },
    now: () => [UP, DOWN].map(({ budget }) => product.sandbox.budgetAmount(EUR, budget)),
    states: () =>
      product.rows("SELECT code, state, decided_by FROM budget_proposal WHERE state <> 'open' ORDER BY code"),
  };
}

/** What must not have changed after a refused act. */
const recorded = ({ product, now }: { readonly product: Product; now(): readonly bigint[] }) => [
  now(),
  product.events(),
  product.rows('SELECT * FROM budget_proposal'),
  product.sends().length,
];

describe('a plan on the dashboard', () => {
  it.each([
    ['1e2', 'is &quot;1e2&quot;, expected one such as 60.00.'],
    ['１００', 'expected one such as 60.00.'],
    ['−5', 'expected one such as 60.00.'],
    ['-5', 'expected one such as 60.00.'],
    ['', 'is &quot;&quot;, expected one such as 60.00.'],
    ['1 00', 'is &quot;1_00&quot;, expected one such as 60.00.'],
    ['9223372036854775808', 'expected one such as 60.00.'],
    ['"><b>x</b>', 'is &quot;&quot;&gt;&lt;b&gt;x&lt;/b&gt;&quot;, expected one such as 60.00.'],
    ['0', '0.00 EUR is no smaller step for'],
    ['85.00', '85.00 EUR is no smaller step for'],
    ['84.99', '84.99 EUR is no smaller step for'],
    ['170.01', '170.01 EUR is no smaller step for'],
    ['100.505', '100.505 EUR for'],
  ])('says why %j is no amount, and has no form for it', async (amount, words) => {
    const { person, card, up } = await opened();
    const { form, page } = await (await person('anna')).choose({ ...card, [`to-${up}`]: amount, act: 'approve' });
    expect([form, page]).toEqual([{}, expect.stringContaining(words)]);
  });

  it('says that nothing is chosen', async () => {
    const { person, down } = await opened();
    const { form, page } = await (await person('anna')).choose({ [`to-${down}`]: '33.51', act: 'approve' });
    expect([form, page]).toEqual([{}, expect.stringContaining('No change is chosen.')]);
  });

  it('refuses a form whose codes or amounts are others than the person has confirmed', async () => {
    const world = await opened();
    const { up, down, card } = world;
    const anna = await world.person('anna');
    const { form } = await anna.choose({ ...card, [`to-${up}`]: '100.00', act: 'approve' });
    expect(form.on).toBe(`${up}=100.00 ${down}=33.51`);
    const before = recorded(world);
    for (const on of [`${up}=170.00 ${down}=33.51`, `${up}=100.00`, `${down}=33.51 ${up}=100.00`, `${up} ${down}`]) {
      expect((await anna.send({ ...form, on })).status).toBe(403);
    }
    expect(recorded(world)).toEqual(before);
    expect((await anna.send(form)).status).toBe(200);
    expect(world.now()).toEqual([100_000_000n, DOWN.to]);
  });

  it('refuses a viewer', async () => {
    const world = await opened();
    const before = recorded(world);
    const anna = await world.person('anna');
    const vera = await world.person('vera', 'viewer');
    const { form } = await anna.choose({ ...world.card, act: 'approve-all' });
    expect(await vera.inbox()).not.toMatch(/<form class="plan"/);
    expect((await vera.choose({ ...world.card, act: 'approve' })).form).toEqual({});
    expect((await vera.send(form)).status).toBe(403);
    expect(recorded(world)).toEqual(before);
  });

  it('is approved as a whole, with its sum before and after, and leads to the undo of each line', async () => {
    const { product, person, card, now, up, down } = await opened();
    const anna = await person('anna');
    const { page, form } = await anna.choose({ [`to-${up}`]: '170.00', [`to-${down}`]: '33.51', act: 'approve-all' });
    expect(Object.keys(card)).toHaveLength(4);
    const [sums] = product.rows(`SELECT sum(from_micros) AS before, sum(to_micros) AS after FROM budget_proposal
      WHERE customer_id = ${EUR}`);
    expect(sums).toEqual({ before: 130_000_000, after: 203_510_000 });
    expect(textOf(page)).toContain('Together, a day 130.00 → 203.51 EUR, +57%');
    expect(textOf(page)).toContain('2 budgets: 130.00 EUR to 203.51 EUR a day.');
    const done = await anna.send(form);
    expect([done.status, done.page]).toEqual([200, expect.stringContaining('Done: Approve 2 changes')]);
    expect(now()).toEqual([UP.to, DOWN.to]);
    // Decreases first.
    expect(textOf(done.page)).toMatch(/Made by anna: B2, 85\.00 to 170\.00 EUR\. +Undo B2/);
    expect(textOf(done.page)).toMatch(/Made by anna: B1, 45\.00 to 33\.51 EUR\. +Undo B1/);
    expect(done.page).toContain('?act=undo&amp;on=B1');
  });

  it('is approved in part, and the rest still awaits approval', async () => {
    const { person, card, now, states, up, down } = await opened();
    const { [`on-${up}`]: _, ...chosen } = card;
    const anna = await person('anna');
    const { form } = await anna.choose({ ...chosen, act: 'approve' });
    const { status, page } = await anna.send(form);
    expect([status, page]).toEqual([200, expect.stringContaining(`Done: Approve ${down}`)]);
    expect([now(), states()]).toEqual([[UP.from, DOWN.to], [{ code: down, state: 'approved', decided_by: 'anna' }]]);
  });

  it('is rejected with one reason', async () => {
    const { product, person, card, now, states } = await opened();
    const anna = await person('anna');
    const { page, form } = await anna.choose({ ...card, act: 'reject' });
    expect(textOf(page)).toContain('2 budgets keep 130.00 EUR a day, not 203.51 EUR.');
    expect((await anna.send(form)).status).toBe(200);
    expect([now(), states().length]).toEqual([[UP.from, DOWN.from], 2]);
    const why = product.rows("SELECT detail FROM budget_event WHERE kind = 'declined'");
    expect(why.map(({ detail }) => JSON.parse(String(detail)).why)).toEqual([WHY, WHY]);
  });

  it('tells how each line ended: made, and refused with the words of the guard', async () => {
    const { product, person, card, now, up } = await opened();
    const anna = await person('anna');
    const { form } = await anna.choose({ ...card, act: 'approve' });
    product.sandbox.setBudget(EUR, UP.budget, micros(96_000_000n));
    const { status, page } = await anna.send(form);
    expect([status, now()]).toEqual([409, [96_000_000n, DOWN.to]]);
    expect(textOf(page)).toMatch(/Made by anna: B1, 45\.00 to 33\.51 EUR\. +Undo B1/);
    expect(textOf(page)).toMatch(
      new RegExp(`${up} [^.]*superseded: It was based on 85\\.00 EUR, but the budget is now 96`),
    );
  });

  it('says that a line is in doubt if its answer was lost', async () => {
    const { product, person, card, now } = await opened();
    const anna = await person('anna');
    const { form } = await anna.choose({ ...card, act: 'approve' });
    product.fault = (request) =>
      isChange(request) && request.body.includes(UP.budget) ? { kind: 'reset_after' } : undefined;
    const { status, page } = await anna.send(form);
    expect([status, now()]).toEqual([409, [UP.to, DOWN.to]]);
    expect(textOf(page)).toContain('In doubt: B2, 85.00 to 170.00 EUR. The next run finds the outcome.');
    expect(product.sends().length).toBe(2);
  });

  it('is decided once by two people, and the second one is told by whom', async () => {
    const { product, person, card, now } = await opened();
    const anna = await person('anna');
    const berta = await person('berta');
    const forms = [
      await anna.choose({ ...card, act: 'approve' }),
      await berta.choose({ ...card, act: 'approve' }),
    ] as const;
    const answers = await Promise.all([anna.send(forms[0].form), berta.send(forms[1].form)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [{ decided_by: winner } = {}] = product.rows(
      "SELECT decided_by FROM budget_proposal WHERE state = 'approved'",
    );
    const late = answers.find(({ status }) => status === 409)?.page ?? '';
    expect(late.match(new RegExp(`is approved, by ${winner}\\.`, 'g'))).toHaveLength(2);
    expect([now(), product.sends().length]).toEqual([[UP.to, DOWN.to], 2]);
  });

  it('leads to the lines that are left if another person has decided some of them', async () => {
    const { product, person, card, up, down } = await opened();
    const anna = await person('anna');
    const { form } = await anna.choose({ ...card, [`to-${up}`]: '100.00', act: 'approve' });
    expect((await product.run(['budgets', 'reject', down])).code).toBe(0);
    const { status, page } = await anna.send(form);
    expect([status, page]).toEqual([409, expect.stringContaining(`Proposal ${down} is rejected, by anna.`)]);
    expect(page).toContain(`?act=approve&amp;on=${up}%3D100.00`);
  });

  it('is not approved after it expired in between, and its other lines can still be', async () => {
    const { product, person, card, up, down, now } = await opened();
    const anna = await person('anna');
    const { form } = await anna.choose({ ...card, act: 'approve' });
    product.execute(`UPDATE budget_proposal SET expires_at = '2026-11-20T11:00:00Z' WHERE code = '${up}'`);
    const { status, page } = await anna.send(form);
    expect([status, page]).toEqual([409, expect.stringContaining(`Proposal ${up} has expired.`)]);
    expect(page).toContain(`?act=approve&amp;on=${down}%3D33.51`);
    expect([now(), product.sends()]).toEqual([[UP.from, DOWN.from], []]);
  });

  it('is held by a freeze, but can be rejected meanwhile', async () => {
    const world = await opened();
    const { product, person, card } = world;
    const anna = await person('anna');
    const { form } = await anna.choose({ ...card, act: 'approve' });
    await product.run(['freeze', '--why', 'prices are wrong']);
    const sent = product.sends().length;
    expect((await anna.send(form)).status).toBe(409);
    const inbox = await anna.inbox();
    expect(inbox).toMatch(/value="approve-all" class="primary" disabled>/);
    expect(inbox).toMatch(/value="reject">/);
    expect((await anna.choose({ ...card, act: 'reject' })).form).toHaveProperty('seen');
    expect(product.sends().length).toBe(sent);
  });
});

it('lists what was undone, by whom and why, without an act', async () => {
  const { product, person, up, down } = await opened();
  expect((await product.run(['budgets', 'approve', up, down])).code).toBe(0);
  expect((await product.run(['budgets', 'undo', 'B1', '--by', 'berta', '--why', 'the <sale> begins'])).code).toBe(0);
  const inbox = await (await person('anna')).inbox();
  const [made] = product.rows("SELECT count(*) AS n FROM budget_intent WHERE state = 'applied'");
  expect(inbox).toContain(`Changes of the last 14 days (${made?.n}), 1 of them undone`);
  const eventOf = (id: string) => textOf(inbox.split(`<li id="${id}">`)[1]?.split('</li>')[0] ?? '');
  expect(eventOf('B1')).toMatch(/undone by B3 , berta/);
  expect(eventOf('B1')).not.toMatch(/Undo\b/);
  expect(eventOf('B3')).toMatch(/UTC the &lt;sale&gt; begins \(undoes B1, approved by anna\) .* Undo/);
});
