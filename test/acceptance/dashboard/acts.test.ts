import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { notify } from '../../../src/storage/records/alerts/alert-table.ts';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { BUDGET, copiesOf, createProduct, isChange, type Product } from '../../support/product.ts';
import { byEngine, storeAt } from '../../support/state.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { NOON } from '../../support/world.ts';

const EUR = customerId(TRIMMED.customerId);

/** One change of 60.00 to 51.00 EUR awaits approval, and a condition of the rule fires. */
async function firstProposed(): Promise<Product> {
  const product = await createProduct({ mode: 'approve' });
  expect((await product.run(['report'])).code).toBe(0);
  const { db, close } = await storeAt(product.place);
  const alert = { severity: 'warning', rule: 'trim', text: 'Clicks are dear.', customerId: EUR } as const;
  await notify(db, { ...alert, dedupeKey: 'dear', kind: 'condition', reason: 'first' }, Date.parse(NOON));
  await close();
  return product;
}

const proposed = copiesOf(firstProposed, { mode: 'approve' });

async function firstCut(): Promise<Product> {
  const product = await createProduct();
  expect((await product.run(['report'])).code).toBe(0);
  return product;
}

const cut = copiesOf(firstCut);

interface Person {
  /** Opens the page of the act. */
  look(act: string, on?: string): Promise<Record<string, string>>;
  /** A page's HTML. */
  read(path: string): Promise<string>;
  /** Sends the form of {@link look}. */
  send(
    form: Readonly<Record<string, string>>,
    why?: string,
  ): Promise<{ readonly status: number; readonly page: string }>;
  /** Both at once. */
  act(act: string, on?: string, why?: string): ReturnType<Person['send']>;
}

/** The real program serves the folder; each person has a token with their name. */
async function served(product: Product) {
  const server = await serveInProcess(product.folder, product.env());
  const { address } = server.ready;
  const post = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(address + path, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields),
      headers: { cookie, origin: address },
    });
  const person = async (name: string): Promise<Person> => {
    const { stdout } = await product.run(['serve', 'token', '--role', 'approver', '--name', name]);
    const login = await post('/login', { token: stdout.trim() });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const look: Person['look'] = async (act, on = '') => {
      const page = await fetch(`${address}/inbox?${new URLSearchParams({ act, on })}`, { headers: { cookie } });
      const hidden = (await page.text()).matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g);
      return Object.fromEntries([...hidden].map(([, name, value]) => [name, value]));
    };
    const read: Person['read'] = async (path) => (await fetch(address + path, { headers: { cookie } })).text();
    const send: Person['send'] = async (form, why = 'agreed with the client') => {
      const answer = await post('/inbox', { for: '2h', ...form, why }, cookie);
      return { status: answer.status, page: await answer.text() };
    };
    return { look, read, send, act: async (act, on, why) => send(await look(act, on), why) };
  };
  return { server, person };
}

const codeOf = (product: Product) => String(product.rows('SELECT code FROM budget_proposal')[0]?.code);

const eventsBy = (product: Product, actor: string) =>
  product
    .rows(`SELECT kind, detail FROM budget_event WHERE actor = '${actor}' ORDER BY id`)
    .map(({ kind, detail }) => [kind, JSON.parse(String(detail)).why]);

const proposals = (product: Product) => product.rows('SELECT state, decided_by FROM budget_proposal');

/** What must not have changed after a refused act. */
const everything = (product: Product) => [
  product.amount(),
  product.events(),
  product.rows('SELECT * FROM budget_proposal'),
  product.rows('SELECT * FROM budget_intent'),
  product.rows('SELECT * FROM silence'),
];

const WHY = 'agreed with the client';

describe('on the dashboard', () => {
  it('approve changes the budget once, and the record has the token’s name and the reason', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const { status, page } = await (await person('anna')).act('approve', codeOf(product));
    expect([status, page]).toEqual([200, expect.stringContaining('</bdi>: 60.00 EUR to 51.00 EUR a day.')]);
    expect([product.amount(), product.sends().length]).toEqual([51_000_000n, 1]);
    expect(proposals(product)).toEqual([{ state: 'approved', decided_by: 'anna' }]);
    expect(eventsBy(product, 'anna')).toContainEqual(['approved', WHY]);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it('reject keeps the budget', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const { status, page } = await (await person('anna')).act('reject', codeOf(product));
    expect([status, page]).toEqual([200, expect.stringContaining('keeps 60.00 EUR a day, not 51.00 EUR.')]);
    expect([product.amount(), product.mutates()]).toEqual([60_000_000n, []]);
    expect(proposals(product)).toEqual([{ state: 'rejected', decided_by: 'anna' }]);
    expect(eventsBy(product, 'anna')).toEqual([['declined', WHY]]);
  });

  it('undo sets the old amount once, and a second undo says who was faster', async () => {
    const product = await cut();
    const { person } = await served(product);
    const anna = await person('anna');
    const berta = await person('berta');
    const late = await berta.look('undo', 'B1');
    const [{ customer_id: customer, budget_id: budget } = {}] = product.rows('SELECT * FROM budget_intent');
    const offered = async () => (await anna.read(`/budgets/${customer}/${budget}`)).match(/act=undo&amp;on=B\d+/g);
    expect(await offered()).toEqual(['act=undo&amp;on=B1']);
    const { status, page } = await anna.act('undo', 'B1');
    expect([status, page]).toEqual([200, expect.stringContaining('51.00 EUR to 60.00 EUR a day.')]);
    expect(product.rows('SELECT actor, reason FROM budget_intent WHERE undoes = 1')).toEqual([
      { actor: 'anna', reason: expect.stringContaining(WHY) },
    ]);
    // Only the undo can be undone now.
    expect(await offered()).toEqual(['act=undo&amp;on=B2']);
    const before = everything(product);
    const second = await berta.send(late);
    expect([second.status, second.page]).toEqual([409, expect.stringContaining('B1 is undone: B2, by anna.')]);
    expect(await berta.look('undo', 'B1'), 'no form').toEqual({});
    expect(everything(product)).toEqual(before);
  });

  it('freeze and unfreeze are recorded with name and reason', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const anna = await person('anna');
    expect((await anna.act('freeze', '', 'prices are wrong')).status).toBe(200);
    expect((await anna.act('unfreeze', '', 'right again')).status).toBe(200);
    expect(eventsBy(product, 'anna')).toEqual([
      ['frozen', 'prices are wrong'],
      ['unfrozen', 'right again'],
    ]);
  });

  it('silence covers the rule in the account, with name and reason', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const [alert] = product.rows("SELECT id FROM alert WHERE kind = 'condition'");
    expect((await (await person('anna')).act('silence', `A${alert?.id}`)).status).toBe(200);
    expect(product.rows('SELECT rule, CAST(customer_id AS TEXT) AS customer_id, created_by, why FROM silence')).toEqual(
      [{ rule: 'trim', customer_id: EUR, created_by: 'anna', why: WHY }],
    );
  });
});

describe('the guards of an act on the dashboard', () => {
  it('refuse to approve and to undo during a freeze', async () => {
    for (const [make, act, code] of [
      [proposed, 'approve', codeOf],
      [cut, 'undo', () => 'B1'],
    ] as const) {
      const product = await make();
      const { person } = await served(product);
      const anna = await person('anna');
      const form = await anna.look(act, code(product));
      await product.run(['freeze', '--by', 'berta', '--why', 'prices are wrong']);
      const before = [product.amount(), product.sends().length];
      const { status, page } = await anna.send(form);
      expect([status, page]).toEqual([409, expect.stringContaining('Nothing was changed')]);
      expect(page).toMatch(/Budgets are frozen by berta since [^:]*:[^.]*: prices are wrong\./);
      expect(page).toContain('?act=unfreeze">Unfreeze budgets</a>');
      expect([product.amount(), product.sends().length]).toEqual(before);
    }
  });

  it('disable what cannot work during a freeze, with the reason, and lead to its end', async () => {
    const frozen = async (product: Product, act: 'approve' | 'undo', on: string) => {
      await product.run(['freeze', '--by', 'berta', '--why', 'prices are wrong']);
      const anna = await (await served(product)).person('anna');
      const inbox = await anna.read('/inbox');
      expect(inbox).toMatch(
        act === 'undo'
          ? /aria-disabled="true"[^>]*>Undo<\/a> <small>not while/
          : / disabled>Approve<span [^>]*> \w+<\/span><\/button><small>not while/,
      );
      expect(inbox).not.toContain(`act=${act}`);
      expect(inbox).toContain('?act=unfreeze">Unfreeze budgets</a>');
      const page = await anna.read(`/inbox?act=${act}&on=${on}`);
      expect(page).toMatch(/Budgets are frozen by berta since [^:]*:[^.]*: prices are wrong\./);
      expect(page).not.toContain('<form class="act"');
      return anna;
    };
    const proposal = await proposed();
    const rejecting = await frozen(proposal, 'approve', codeOf(proposal));
    expect((await rejecting.act('reject', codeOf(proposal))).status).toBe(200);
    const change = await cut();
    const [{ customer_id: customer, budget_id: budget } = {}] = change.rows('SELECT * FROM budget_intent');
    const undoing = await frozen(change, 'undo', 'B1');
    const history = () => undoing.read(`/budgets/${customer}/${budget}`);
    expect(await history()).toContain('Undo: not while budgets are frozen');
    expect(await history()).not.toContain('act=undo');
    expect((await undoing.act('unfreeze', '')).status).toBe(200);
    expect(await history()).toContain('act=undo&amp;on=B1');
  });

  it('let two people who approve at once change the budget once, and tell the second', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const anna = await person('anna');
    const berta = await person('berta');
    const forms = [await anna.look('approve', codeOf(product)), await berta.look('approve', codeOf(product))] as const;
    const answers = await Promise.all([anna.send(forms[0]), berta.send(forms[1])]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [{ decided_by: winner } = {}] = proposals(product);
    expect(answers.find(({ status }) => status === 409)?.page).toContain(`is approved, by ${winner}.`);
    expect([product.amount(), product.sends().length]).toEqual([51_000_000n, 1]);
  });

  it('refuse a budget that was changed elsewhere since the page was opened', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const anna = await person('anna');
    const form = await anna.look('approve', codeOf(product));
    product.sandbox.setBudget(EUR, BUDGET, micros(70_000_000n));
    expect((await anna.send(form)).status).toBe(409);
    expect([product.amount(), product.sends()]).toEqual([70_000_000n, []]);
  });

  it('refuse an undo beyond the floor', async () => {
    const rule = TRIM_RULES['trim.yaml'].replace('decrease', 'increase').replace('floor: 5', 'floor: 65');
    const product = await createProduct({ rules: { 'trim.yaml': rule } });
    expect((await product.run(['report'])).code).toBe(0);
    const { person } = await served(product);
    const amount = product.amount();
    const { status, page } = await (await person('anna')).act('undo', 'B1');
    expect([status, page]).toEqual([409, expect.stringContaining('below the floor')]);
    expect(product.amount()).toBe(amount);
  });

  it('refuse to lift a freeze for another reason than the page showed', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const anna = await person('anna');
    await product.run(['freeze', '--by', 'berta', '--why', 'prices are wrong']);
    const form = await anna.look('unfreeze');
    await product.run(['freeze', '--by', 'carl', '--why', 'the bank called']);
    const before = everything(product);
    const { status, page } = await anna.send(form);
    expect([status, page]).toEqual([409, expect.stringContaining('It changed after you opened the page.')]);
    expect(everything(product)).toEqual(before);
  });

  it('refuse while a run has the folder, and say that nothing was changed and when to try again', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const anna = await person('anna');
    const release = await product.hold('report');
    const before = everything(product);
    const { status, page } = await anna.act('approve', codeOf(product));
    expect([status, page]).toEqual([409, expect.stringContaining('Nothing was changed. If a run is in progress')]);
    expect(page).toContain('is in use by');
    expect(everything(product)).toEqual(before);
    await release();
    expect((await anna.act('approve', codeOf(product))).status).toBe(200);
  });

  it('refuse after the data folder was moved, and make no new one, unless the records are in a database', async () => {
    const product = await proposed();
    const { person } = await served(product);
    const anna = await person('anna');
    const form = await anna.look('freeze');
    renameSync(join(product.folder, 'data'), join(product.folder, 'old'));
    expect((await anna.send(form)).status).toBe(byEngine({ sqlite: 404, postgres: 200 }));
    mkdirSync(join(product.folder, 'data'), { recursive: true });
    // A form is sent once.
    expect((await anna.send(form)).status).toBe(byEngine({ sqlite: 404, postgres: 409 }));
  });
});

describe('a stop of serve during an act', () => {
  it('waits until the change is made and answers the person', async () => {
    const product = await proposed();
    const { server, person } = await served(product);
    let stopped: Promise<number | undefined> | undefined;
    product.fault = (request) => {
      if (isChange(request)) stopped ??= server.stop();
      return undefined;
    };
    const { status, page } = await (await person('anna')).act('approve', codeOf(product));
    expect([status, page]).toEqual([200, expect.stringContaining('60.00 EUR to 51.00 EUR')]);
    expect(await stopped).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
  });
});
