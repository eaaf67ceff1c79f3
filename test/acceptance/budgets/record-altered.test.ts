import { describe, expect, it } from 'vitest';
import { alter } from '../../support/alter-record.ts';
import { onFiles } from '../../support/folder-store.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { byEngine } from '../../support/state.ts';

const TOMORROW = '2026-11-21T12:00:00Z';

/** One report that has set the budget from 60.00 to 51.00, with four events. */
async function reported(config = ''): Promise<Product> {
  const product = await createProduct({ config });
  expect(await product.run(['report'])).toMatchObject({ code: 0 });
  return product;
}

const frozen = (product: Product) =>
  product.rows("SELECT actor, detail ->> 'why' AS why FROM budget_event WHERE kind = 'frozen'");

/** A database without the newest event looks like an older copy, because the data folder notes its events, too. */
async function expectCutStopped(product: Product, words: RegExp): Promise<void> {
  if (byEngine({ sqlite: true, postgres: false })) return expectStopped(product, words);
  const sent = product.sends().length;
  const { code, stderr } = await product.run(['report']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('lacks event 4 of runs/1.json. It is an older copy.')]);
  expect([product.amount(), product.sends().length]).toEqual([51_000_000n, sent]);
}

async function expectStopped(product: Product, words: RegExp): Promise<void> {
  const sent = product.sends().length;
  const { code, value } = await product.json(['report']);
  expect([code, value.failures]).toEqual([1, [expect.stringMatching(words)]]);
  expect(value.failures[0]).toMatch(/^Somebody may have altered the record: .*pacekeeper audit verify/);
  expect([product.amount(), product.sends().length]).toEqual([51_000_000n, sent]);
  expect(frozen(product)).toEqual([{ actor: 'pacekeeper', why: expect.stringMatching(words) }]);
  expect(product.sandbox.messages().at(-1)?.body).toMatch(/Budgets are frozen: somebody may have altered the record/);
}

describe('a record that somebody altered', () => {
  it('long ago stops every change on the next day, and sends an alert', async () => {
    const product = await reported();
    alter(product, "UPDATE budget_event SET actor = 'nobody' WHERE id = 2");
    product.at(TOMORROW);
    await expectStopped(product, /Event 2 was altered/);
  });

  it('since the last run stops every change on the same day', async () => {
    const product = await reported();
    await product.run(['freeze', '--by', 'ben', '--why', 'x']);
    await product.run(['unfreeze', '--by', 'ben', '--why', 'y']);
    alter(product, "UPDATE budget_event SET actor = 'nobody' WHERE id = 6");
    const { code, value } = await product.json(['report']);
    expect([code, value.failures]).toEqual([1, [expect.stringMatching(/Event 6 was altered/)]]);
    expect(frozen(product).at(-1)).toMatchObject({ actor: 'pacekeeper' });
  });

  it('at its end is found by the head that the last run saw', async () => {
    const product = await reported();
    alter(product, 'DELETE FROM budget_event WHERE id = 4');
    await expectCutStopped(product, /Event 4 is not the event that the last run saw/);
  });

  it('in a table alone is found on the next day', async () => {
    const product = await reported();
    alter(product, 'UPDATE budget_intent SET to_micros = 99000000');
    product.at(TOMORROW);
    await expectStopped(product, /to_micros is "99000000" in budget_intent/);
  });

  it.each([
    ['altered', 'UPDATE decision SET to_micros = 99000000 WHERE event_id = 1', /to_micros is "99000000" in decision/],
    ['emptied', 'DELETE FROM decision', /Event 1 records a decision that is not in decision/],
  ])('in the ledger alone, which was %s, is found by audit verify and on the next day', async (_, statement, words) => {
    const product = await reported();
    alter(product, statement);
    const verified = await product.run(['audit', 'verify', '--offline'], { width: 1000 });
    expect(verified).toMatchObject({ code: 1, stdout: expect.stringMatching(words) });
    expect(await product.run(['budgets', 'history'])).toMatchObject({ code: 0, stdout: expect.stringContaining('B1') });
    product.at(TOMORROW);
    await expectStopped(product, words);
  });

  it('in the ledger alone is rebuilt from the record when a person unfreezes', async () => {
    const product = await reported();
    const before = product.rows('SELECT * FROM decision');
    alter(product, 'UPDATE decision SET to_micros = 99000000');
    product.at(TOMORROW);
    await expectStopped(product, /to_micros is "99000000" in decision/);
    const verified = await product.run(['audit', 'verify', '--offline'], { width: 1000 });
    expect(verified.stdout.replace(/\s+/g, ' ')).toContain(
      'Run pacekeeper unfreeze to rebuild the ledger from the events.',
    );
    const lifted = await product.run(['unfreeze', '--why', 'looked at'], { width: 1000 });
    expect(lifted).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ledger of decisions was rebuilt.*that differed: 1\./),
    });
    expect(product.rows('SELECT * FROM decision WHERE event_id = 1')).toEqual(before);
    expect(
      product.rows(
        "SELECT CAST(detail ->> 'renewed_decisions' AS INTEGER) AS n FROM budget_event WHERE kind = 'unfrozen'",
      ),
    ).toEqual([{ n: 1 }]);
    expect(await product.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    expect(product.amount()).toBe(43_350_000n);
  });

  it('by an older running version without a ledger stops changes until a person unfreezes', async () => {
    const product = await reported();
    // An event without its row: the program of before wrote it while this one brought the file up to date.
    product.execute('DELETE FROM decision');
    product.at(TOMORROW);
    await expectStopped(product, /Event 1 records a decision that is not in decision/);
    expect(await product.run(['unfreeze', '--why', 'it was the upgrade'])).toMatchObject({ code: 0 });
    expect(await product.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
  });

  it('is found on the next day even if the head of the last run was altered, too', async () => {
    const product = await reported();
    alter(
      product,
      'DELETE FROM budget_event WHERE id = 4',
      "UPDATE run SET record_head = (SELECT id || ':' || hash FROM budget_event ORDER BY id DESC LIMIT 1)",
    );
    product.at(TOMORROW);
    await expectCutStopped(product, /state is "applied" in budget_intent/);
  });

  it.runIf(onFiles)('stops changes until a backup is restored', async () => {
    const product = await reported();
    await product.run(['backup', 'copy.sqlite']);
    alter(product, "UPDATE budget_event SET actor = 'nobody' WHERE id = 2");
    product.at(TOMORROW);
    expect(await product.run(['report'])).toMatchObject({ code: 1 });
    expect(await product.run(['unfreeze', '--why', 'it looks fine'])).toMatchObject({ code: 0 });
    expect(await product.run(['report'])).toMatchObject({ code: 1 });
    expect(product.amount()).toBe(51_000_000n);
    expect(await product.run(['restore', 'copy.sqlite'])).toMatchObject({ code: 0 });
    expect(await product.run(['unfreeze', '--why', 'a copy'])).toMatchObject({ code: 0 });
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    expect(product.amount()).toBe(43_350_000n);
  });

  it.runIf(onFiles).each([
    ['DROP TRIGGER budget_event_is_not_changed', 'trigger budget_event_is_not_changed is missing'],
    ['DROP INDEX budget_intent_once_a_day', 'index budget_intent_once_a_day is missing'],
  ])('may be behind a schema that lacks something: %s', async (statement, reason) => {
    const product = await reported();
    product.execute(statement);
    const { code, stderr } = await product.run(['report'], { width: 1000 });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${reason}. Somebody may have altered the record.`)]);
    expect(stderr).toMatch(/next step: .*pacekeeper audit verify/);
    const { stdout: doctor } = await product.run(['doctor', '--offline'], { width: 1000 });
    expect(doctor).toContain(`damaged: ${reason}. Somebody may have altered the record`);
    expect(doctor).toMatch(
      /next step: Run pacekeeper audit verify, and put a copy back with pacekeeper restore FILE\./,
    );
  });
});

describe('the head of the record', () => {
  it('is printed the same everywhere outside the machine, and the record is compared with it', async () => {
    const product = await createProduct({ config: 'alerts: { digest_at: "11:00", time_zone: UTC }' });
    const { value, stderr } = await product.json(['report', '--verbose']);
    const [row] = product.rows("SELECT id || ':' || hash AS head FROM budget_event ORDER BY id DESC");
    const head = String(row?.head);
    expect(head).toMatch(/^4:[0-9a-f]{64}$/);
    expect(value.run.record_head).toBe(head);
    expect(stderr).toContain(`Newest event of the record of budget changes (its head): ${head}.`);
    expect(stderr).toMatch(/stats, account \d+, \S+ to \S+: [\d,]+ rows/);
    const kept = ['audit', 'verify', '--offline', '--head', head];
    expect(await product.run(kept, { width: 1000 })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Head: ${head}`),
    });
    product.at(TOMORROW);
    expect(await product.run(['alerts', 'deliver'])).toMatchObject({ code: 0 });
    expect(product.sandbox.messages().at(-1)?.body).toContain(`Record ${head}`);
    const other = `4:${'0'.repeat(64)}`;
    expect(await product.run(['audit', 'verify', '--head', other], { width: 1000 })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`The record does not contain ${other}`),
    });
    expect(await product.run(['audit', 'verify', '--head', '4'])).toMatchObject({ code: 2 });
  });
});

describe('budgets history', () => {
  it.runIf(onFiles)('shows freezes, restored backups, and settings that allow more changes', async () => {
    const product = await reported('accounts: { 4081725530: { daily_total: 500 } }');
    product.reconfigure('apply', 'accounts: { 4081725530: { daily_total: 900 } }');
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    // Nothing of this lets more be changed.
    product.reconfigure('approve', 'accounts: { 4081725530: { daily_total: 800, daily_exposure: 900 } }');
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    expect(await product.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 0 });
    await product.run(['freeze', '--by', 'ben', '--why', 'the shop is down']);
    expect(await product.run(['restore', 'copy.sqlite'])).toMatchObject({ code: 0 });
    const { stdout } = await product.run(['budgets', 'history'], { width: 1000 });
    const widened = 'accounts.4081725530.daily_total from 500.00 EUR to 900.00 EUR';
    expect(stdout).toMatch(
      new RegExp(` settings widened .*\n    by pacekeeper\n    ${widened.replaceAll('.', '\\.')}\n`),
    );
    expect(stdout).toMatch(/ restored .*\n {4}by anna\n {4}copy\.sqlite\n/);
    expect(stdout).toMatch(/ frozen .*\n {4}by anna\n {4}restored from copy\.sqlite/);
    expect(stdout).toContain('B1 ');
    const { value } = await product.json(['budgets', 'history']);
    expect(value.record_events.map(({ kind }: { kind: string }) => kind)).toEqual([
      'frozen',
      'restored',
      'settings_widened',
    ]);
    const rows = await product.run(['budgets', 'history', '--format', 'ndjson']);
    expect(rows.stdout).toContain('"row":"record_event","id":');
    const ofAccount = await product.run(['budgets', 'history', '--customer', '4081725530']);
    expect(ofAccount.stdout).not.toMatch(/^ +restored /m);
  });
});
