import { expect, it } from 'vitest';
import { instantText } from '../../../src/domain/civil-date.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { accountsService, BUDGET as OWN_BUDGET, statsRow } from '../../support/accounts-service.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { TRIM_RULES } from '../../support/trim-rule.ts';
import { machine, TRIM_ALL } from '../../support/workers.ts';
import { NOON } from '../../support/world.ts';

/** The service's clock is at NOON. */
const at = (now: string) => ({ env: { PACEKEEPER_NOW: now } });
const AHEAD = '2026-11-21T14:00:00Z';
const BEHIND = '2026-11-19T10:00:00Z';

const decisions = (product: Product) => product.rows("SELECT code, facts FROM decision WHERE kind = 'refusal'");

it.each([
  ['26 hours ahead', AHEAD],
  ['26 hours behind', BEHIND],
])(
  'a machine %s of the service stores no days that the service takes for others, and changes nothing',
  async (_, now) => {
    const product = await createProduct();
    const { code, stdout } = await product.run(['report', '--format', 'json'], at(now));
    expect([code, product.mutates(), product.amount()]).toEqual([1, [], 60_000_000n]);
    expect(JSON.parse(stdout).failures).toEqual([
      expect.stringMatching(/The answer was not stored: A row has the day \S+, but the query asks for/),
      expect.stringMatching(/^No budget change is sent: this clock says .* \(NTP\)\.$/),
    ]);
    expect(product.rows('SELECT count(*) AS rows FROM stats')).toEqual([{ rows: 0 }]);
  },
);

it.each([['6 minutes ahead', '2026-11-20T12:06:00Z']])(
  'a machine %s of the service reads and tells, but changes nothing, and fails with both times',
  async (_, now) => {
    const product = await createProduct();
    const { code, stdout } = await product.run(['report', '--format', 'json'], at(now));
    const { failures, slices, decisions: decided, messages } = JSON.parse(stdout);
    const times = `this clock says ${now.slice(0, 10)} ${now.slice(11, 14)}`;
    const other = `but the clock of the advertising interface says ${NOON.slice(0, 10)} ${NOON.slice(11, 17)}`;
    expect([code, product.mutates(), product.amount()]).toEqual([1, [], 60_000_000n]);
    expect(failures).toEqual([expect.stringMatching(/^No budget change is sent: this clock says .* \(NTP\)\.$/)]);
    expect(failures[0]).toContain(times);
    expect(failures[0]).toContain(other);
    expect(slices[0].rows).toBeGreaterThan(0);
    expect(decided[0]).toMatchObject({ state: 'refused', code: 'FROZEN', detail: expect.stringContaining(other) });
    expect(decisions(product)[0]).toMatchObject({ code: 'FROZEN', facts: expect.stringContaining(other) });
    expect(product.rows('SELECT state FROM run')).toEqual([{ state: 'failed' }]);
    expect(messages).toEqual([]);
    // The same real day, by the right clock.
    expect((await product.run(['report'])).code).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
  },
);

it.each([
  ['4 minutes ahead', '2026-11-20T12:04:00Z'],
  ['4 minutes behind', '2026-11-20T11:56:00Z'],
])('a machine %s of the service changes budgets', async (_, now) => {
  const product = await createProduct();
  expect((await product.run(['report'], at(now))).code).toBe(0);
  expect(product.amount()).toBe(51_000_000n);
});

it('a person approves nothing by a wrong clock, and the proposal stays open', async () => {
  const product = await createProduct({
    mode: 'approve',
    rules: { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('mode: apply', 'mode: approve') },
  });
  await product.run(['report']);
  const [{ code = '' } = {}] = product.rows('SELECT code FROM budget_proposal');
  const wrong = await product.run(['budgets', 'approve', `${code}`], at('2026-11-20T13:00:00Z'));
  expect([wrong.code, product.mutates()]).toEqual([1, []]);
  expect(wrong.stdout.replace(/\s+/g, ' ')).toContain(`(NTP). ${code} still awaits approval.`);
  expect((await product.run(['budgets', 'approve', `${code}`])).code).toBe(0);
  expect(product.amount()).toBe(51_000_000n);
});

it.each([[[]], [['--despite-freeze']]])(
  'a person undoes nothing by a wrong clock, with options %j',
  async (options) => {
    const product = await createProduct();
    await product.run(['report']);
    const { code, stdout } = await product.run(['budgets', 'undo', 'B1', '--why', 'x', ...options], at(AHEAD));
    expect([code, product.amount()]).toEqual([1, 51_000_000n]);
    expect(stdout).toContain('this clock says');
    expect(stdout).not.toContain('--despite-freeze');
  },
);

/** A folder whose service has no clock, or the one of the test. */
async function clocklessService() {
  let nowMs: number | undefined;
  let today = NOON;
  const service = await accountsService({
    accounts: 1,
    nowMs: () => nowMs,
    onStream(_customer, _response, end) {
      const days = [7, 6, 5, 4, 3, 2, 1].map((ago) => instantText(Date.parse(today) - ago * 86_400_000));
      end(days.map((day) => statsRow(day.slice(0, 10), 1)));
    },
  });
  const folder = machine({ rules: TRIM_ALL });
  const run = async (args: readonly string[], now: string) => {
    today = now;
    const env = { ...service.env, PACEKEEPER_NOW: now };
    const { code, stdout } = await runInProcess(args, { folder, env, userName: 'anna' });
    return { code, text: stdout.replace(/\s+/g, ' ') };
  };
  const report = (now: string) => run(['report', '--verbose'], now);
  const tell = (now: string | undefined) => {
    nowMs = now === undefined ? undefined : Date.parse(now);
  };
  const amounts = () => service.changes.map(({ to }) => to);
  return { run, report, tell, amounts };
}

const ONCE = OWN_BUDGET * 0.85;
const TWICE = ONCE * 0.85;
const SILENT = 'The advertising interface sends no time, so the clock was not compared with it.';

it('a service without a time is a note, and budgets are changed', async () => {
  const { report, amounts } = await clocklessService();
  const { code, text } = await report(NOON);
  expect([code, text.split(SILENT).length, amounts()]).toEqual([0, 2, [ONCE]]);
});

it('a change that the record dates in the future stops changes, until a person says that the clock is right', async () => {
  const { run, report, amounts } = await clocklessService();
  await report(AHEAD);
  const { code, text } = await report(NOON);
  expect([code, amounts()]).toEqual([1, [ONCE]]);
  expect(text).toMatch(
    /this clock says 2026-11-20 12:00:\d\d UTC, but the record of the last change says 2026-11-21 14:00:/,
  );
  await run(['freeze'], '2026-11-20T12:10:00Z');
  await run(['unfreeze', '--why', 'the clock is right'], '2026-11-20T12:10:00Z');
  // The change has the day of the wrong clock, but was made on this day.
  const next = await report('2026-11-20T13:00:00Z');
  expect([next.code, amounts()]).toEqual([0, [ONCE]]);
  expect(next.text).toContain('rules wait until 2026-11-21');
  // A change of the next day would be the second one of the day that the record names.
  expect([(await report('2026-11-21T12:00:00Z')).code, amounts()]).toEqual([0, [ONCE]]);
  expect([(await report('2026-11-22T12:00:00Z')).code, amounts()]).toEqual([0, [ONCE, TWICE]]);
});

it('a change of a wrong clock is the only one of its real day, once the service proves that this clock is right', async () => {
  const { report, tell, amounts } = await clocklessService();
  await report(AHEAD);
  tell(NOON);
  const { code, text } = await report(NOON);
  expect([code, amounts()]).toEqual([0, [ONCE]]);
  expect(text).toContain('rules wait until 2026-11-21');
});
