import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Download, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatMoney } from '../../src/domain/micros.ts';
import type { Role } from '../../src/domain/role.ts';
import { costText, counted } from '../../src/views/html/wording.ts';
import { shareOfChange, shortDigits, shortMoney } from '../../src/views/report/month-words.ts';
import { runCli } from '../support/run-cli.ts';
import { logIn, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';
import { ENV, factsOf, makeWeek, rowsIn, type WeekFacts } from './worked-week.ts';

withBrowser();

/** Five people, and the role of each one's token. */
const PEOPLE = {
  analyst: 'viewer',
  'agency engineer': 'approver',
  finance: 'viewer',
  'manager with a phone': 'approver',
  admin: 'admin',
} as const satisfies Readonly<Record<string, Role>>;

/** Clicks and keys that a task may take. */
const USED_MAX = 3;

/** The only way of a task to the page, so each click and key is counted. */
type Hand = ReturnType<typeof handOn>;

function handOn(page: Page, hasTouch: boolean) {
  let used = 0;
  const click = async (find: (page: Page) => Locator): Promise<void> => {
    used += 1;
    const target = find(page).first();
    await (hasTouch ? target.tap() : target.click());
  };
  const link = (name: string | RegExp) =>
    click((shown) => shown.getByRole('main').getByRole('link', { name, exact: true }));
  return {
    used: () => used,
    click,
    link,
    async press(key: string): Promise<void> {
      used += 1;
      await page.keyboard.press(key);
    },
    /** Types into the field that has the focus. Typing is no click, but to go to another field is one. */
    async type(text: string): Promise<void> {
      await page.locator('input:focus').waitFor();
      await page.keyboard.type(text);
    },
    /** To send the form of an act is one click. */
    async send(verb: string): Promise<void> {
      await click((shown) => shown.getByRole('button', { name: verb, exact: true }));
      await page.getByRole('heading', { name: /^(?:Done|Failed|Nothing was changed)/ }).waitFor();
    },
    /** A page of the navigation. On a phone, some pages are behind "More". */
    async go(name: string): Promise<void> {
      const target = page.getByRole('navigation').getByRole('link', { name });
      if (!(await target.isVisible())) await click((shown) => shown.getByRole('button', { name: 'More' }));
      await click(() => target);
    },
    /** Back to the page with the next line. With JavaScript, the dialog closes and its page is loaded again. */
    async back(): Promise<void> {
      if (await page.getByRole('dialog').isVisible()) {
        const loaded = page.waitForEvent('load');
        await click((shown) => shown.getByRole('button', { name: 'Close', exact: true }));
        await loaded;
      } else await link('Back to the inbox');
    },
  };
}

interface Seen {
  readonly facts: WeekFacts;
  readonly page: Page;
  /** The downloaded files. */
  readonly downloads: readonly Download[];
  /** Expects that the person can read these texts in this order, near each other. */
  shows(...parts: readonly (string | undefined)[]): Promise<void>;
  /** Rows of the records. */
  record<Row>(sql: string): Row[];
}

interface Task {
  readonly who: keyof typeof PEOPLE;
  readonly task: string;
  /** Where the person is: the overview, the inbox to which alerts lead, or a link that somebody sent. */
  readonly from: string | ((facts: WeekFacts) => string);
  /** Each of so many lines may take all clicks. */
  readonly lines?: number;
  readonly phone?: true;
  readonly noScript?: true;
  play(hand: Hand, facts: WeekFacts): Promise<void>;
  sees(seen: Seen): Promise<void>;
}

const eur = (amount: bigint) => formatMoney(amount, 'EUR');
const accountIn = ({ customer, days: { from, to } }: WeekFacts) => `/accounts/${customer}?from=${from}&to=${to}`;

const TASKS: readonly Task[] = [
  {
    who: 'analyst',
    task: 'which campaign moved the account',
    from: '/',
    phone: true,
    play: (hand, { account }) => hand.link(account),
    sees: ({ facts, shows }) => shows(facts.account, 'Last 7 days', 'most of all', facts.mover),
  },
  {
    who: 'analyst',
    task: 'compare a week with the one before',
    from: ({ customer }) => `/accounts/${customer}`,
    async play(hand) {
      await hand.click((page) => page.locator('summary', { hasText: 'Filter' }));
      await hand.link('Last 7 days');
    },
    async sees({ facts: { account, week, weekBefore }, shows }) {
      await shows(account, costText(week.cost, 'EUR'), shareOfChange(week.cost, weekBefore.cost));
      await shows('Still arriving');
    },
  },
  {
    who: 'analyst',
    task: 'find a campaign by its name',
    from: '/',
    async play(hand, { trim }) {
      await hand.press('/');
      await hand.type(trim.name);
      await hand.press('Enter');
      await hand.link(trim.name);
    },
    async sees({ facts, shows }) {
      await shows(facts.trim.name, 'status enabled');
      await shows('Spend and daily budget', `${eur(facts.trim.from)} in force`);
    },
  },
  {
    who: 'analyst',
    task: 'open the SQL behind a figure',
    from: accountIn,
    play: (hand, { novemberRows }) => hand.link(costText(novemberRows.cost, 'EUR') ?? ''),
    async sees({ facts: { customer, days, novemberRows }, page, shows }) {
      const sql = await page.locator('textarea#sql').inputValue();
      for (const part of [customer, days.from, days.to]) expect(sql).toContain(part);
      await shows(counted(novemberRows.count, 'row'), 'Download CSV');
    },
  },
  {
    who: 'analyst',
    task: 'take the rows behind a figure along as CSV',
    from: accountIn,
    noScript: true,
    async play(hand, { novemberRows }) {
      await hand.link(costText(novemberRows.cost, 'EUR') ?? '');
      await hand.link('Download CSV');
    },
    async sees({ facts: { novemberRows }, downloads }) {
      await expect.poll(() => downloads.length).toBe(1);
      const lines = readFileSync((await downloads[0]?.path()) ?? '', 'utf8')
        .trim()
        .split('\n');
      expect(lines.length - 1).toBe(Number(novemberRows.count));
    },
  },
  {
    who: 'analyst',
    task: 'look at another account for the same days',
    from: accountIn,
    async play(hand, { account, otherAccount }) {
      await hand.click((page) => page.locator('summary', { hasText: account }));
      await hand.click((page) => page.getByRole('banner').getByRole('link', { name: otherAccount }));
    },
    async sees({ facts: { otherAccount, days }, shows }) {
      await shows(otherAccount, `Figures: ${days.from} to ${days.to}`);
    },
  },
  {
    who: 'finance',
    task: 'what the account spent last month',
    from: '/',
    noScript: true,
    async play(hand, { account }) {
      await hand.link(account);
      await hand.click((page) => page.locator('summary', { hasText: 'Filter' }));
      await hand.link('Last month');
    },
    async sees({ facts: { account, october }, shows }) {
      await shows(account, costText(october.cost, 'EUR'), `${october.days} of 31`);
    },
  },
  {
    who: 'finance',
    task: 'which budget is nearly used up',
    from: '/',
    async play(hand) {
      await hand.go('Budgets');
      await hand.click((page) => page.getByRole('columnheader', { name: 'Used' }).getByRole('button'));
    },
    async sees({ facts, page }) {
      const [first = ''] = await page.getByRole('main').locator('tbody tr').allInnerTexts();
      expect(first).toContain(facts.mostUsed);
    },
  },
  {
    who: 'finance',
    task: 'how a target of the month is on its way',
    from: '/',
    play: (hand, { account }) => hand.link(account),
    async sees({ facts: { target }, shows }) {
      const course = `on course for ${shortDigits(target.projected, 'EUR')} of ${shortMoney(target.target, 'EUR')}`;
      await shows('Target of month', course, shareOfChange(target.projected, target.target));
    },
  },
  {
    who: 'finance',
    task: 'prove that a freeze ended',
    from: '/',
    async play(hand) {
      await hand.go('Inbox');
      await hand.link('SQL: freezes');
    },
    async sees({ facts: { freezes }, shows }) {
      expect(freezes.map(({ kind }) => kind)).toEqual(['unfrozen', 'frozen']);
      await shows(...freezes.flatMap(({ kind, actor, why, minute }) => [kind, actor, why, minute]));
    },
  },
  {
    who: 'agency engineer',
    task: 'which days are missing',
    from: '/',
    phone: true,
    play: (hand) => hand.go('Coverage'),
    sees: ({ facts: { missing }, shows }) => shows('Missing days', missing.account, missing.date, 'not read yet'),
  },
  {
    who: 'agency engineer',
    task: 'if the last run failed, and why',
    from: '/',
    phone: true,
    play: (hand, { failure }) => hand.link(`run ${failure.id}`),
    sees: ({ facts: { failure }, shows }) => shows(`Run ${failure.id} failed`, 'Failures', failure.error),
  },
  {
    who: 'agency engineer',
    task: 'who changed a budget, and why',
    from: '/',
    noScript: true,
    async play(hand, { raise }) {
      await hand.go('Budgets');
      await hand.link(raise.name);
    },
    async sees({ facts: { raise }, shows }) {
      await shows(`B${raise.id}`, eur(raise.from), eur(raise.to), raise.rule, raise.reason);
    },
  },
  {
    who: 'agency engineer',
    task: 'undo the raise of yesterday',
    from: '/',
    noScript: true,
    async play(hand, { raise }) {
      await hand.link(`Undo B${raise.id}`);
      await hand.type('too early');
      await hand.send('Undo');
    },
    async sees({ facts: { raise }, shows, record }) {
      await shows(`Done: Undo B${raise.id}`, raise.name, `${eur(raise.to)} to ${eur(raise.from)} a day`);
      const undos = record(`SELECT to_micros FROM budget_intent WHERE undoes = ${raise.id} AND state = 'applied'`);
      expect(undos).toEqual([{ to_micros: raise.from }]);
    },
  },
  {
    who: 'manager with a phone',
    task: 'what does the rule do that asks for a plan',
    from: '/inbox',
    phone: true,
    noScript: true,
    play: (hand) => hand.link('month'),
    async sees({ facts: { plan, target }, shows }) {
      await shows('Keep three campaigns together on 1,800 EUR a month.', 'asks', `${plan.length} asked for approval`);
      const projected = Math.round(Number(target.projected) / 1e6).toLocaleString('en-US');
      await shows('month', 'On course for', projected, 'of 1,800 EUR');
      await shows('As written', 'pace budget to 1800 per month', 'floor 5.00 EUR, ceiling 150.00 EUR');
    },
  },
  {
    who: 'manager with a phone',
    task: 'approve two of three lines of a plan',
    from: '/inbox',
    lines: 2,
    phone: true,
    async play(hand, { plan }) {
      await hand.click((page) => page.getByRole('checkbox', { name: `${plan[2]?.code}` }));
      await hand.click((page) => page.getByRole('button', { name: 'Approve chosen' }));
      await hand.type('as planned');
      await hand.send('Approve');
      await hand.back();
    },
    async sees({ facts: { plan }, shows, record }) {
      const [first, second, third] = plan;
      await shows('Awaiting approval', third?.name, third?.code);
      const states = record(`SELECT code, state FROM budget_proposal WHERE rule = 'month'
        AND code IN (${plan.map(({ code }) => `'${code}'`).join()}) ORDER BY campaign_name`);
      expect(states).toEqual([
        { code: first?.code, state: 'approved' },
        { code: second?.code, state: 'approved' },
        { code: third?.code, state: 'open' },
      ]);
    },
  },
  {
    who: 'manager with a phone',
    task: 'reject a proposal, with a reason',
    from: '/inbox',
    noScript: true,
    async play(hand, { trim }) {
      await hand.click((page) => page.getByRole('button', { name: `Reject ${trim.code}` }));
      await hand.type('the fair begins');
      await hand.send('Reject');
    },
    async sees({ facts: { trim }, shows, record }) {
      await shows(`Done: Reject ${trim.code}`, trim.name, `keeps ${eur(trim.from)} a day, not ${eur(trim.to)}`);
      const rejected = record(
        `SELECT decided_by FROM budget_proposal WHERE code = '${trim.code}' AND state = 'rejected'`,
      );
      expect(rejected).toEqual([{ decided_by: 'manager' }]);
    },
  },
  {
    who: 'manager with a phone',
    task: 'silence an alert for a day',
    from: '/inbox',
    phone: true,
    noScript: true,
    async play(hand, { alerts }) {
      await hand.link(`Silence A${alerts[0]?.id}`);
      await hand.type('known');
      await hand.click((page) => page.getByLabel('1 day'));
      await hand.send('Silence');
    },
    async sees({ facts: { alerts, customer }, shows, record }) {
      await shows(`Done: Silence A${alerts[0]?.id}`, 'no alerts of this rule about this account');
      const silences = record(
        `SELECT round(24 * (julianday(expires_at) - julianday(created_at))) AS hours FROM silence WHERE customer_id = '${customer}'`,
      );
      expect(silences).toEqual([{ hours: 24 }]);
    },
  },
  {
    who: 'manager with a phone',
    task: 'what will need me tomorrow',
    from: '/',
    phone: true,
    play: (hand) => hand.go('Inbox'),
    sees: ({ facts, shows }) =>
      shows('Awaiting approval', `until the next day’s report, at the latest ${facts.expires}`),
  },
  {
    who: 'admin',
    task: 'freeze all budgets, whatever page is open',
    from: '/coverage',
    async play(hand) {
      await hand.click((page) => page.getByRole('link', { name: 'Freeze all budgets' }));
      await hand.type('a price is wrong');
      await hand.send('Freeze all budgets');
    },
    async sees({ facts: { freezes }, shows, record }) {
      await shows('Done: Freeze all budgets', 'No budget changes until somebody unfreezes budgets');
      const all = record("SELECT actor FROM budget_event WHERE kind = 'frozen' ORDER BY id DESC");
      expect(all[0]).toEqual({ actor: 'admin' });
      expect(all.length).toBe(freezes.filter(({ kind }) => kind === 'frozen').length + 1);
    },
  },
  {
    who: 'admin',
    task: 'log out',
    from: '/runs',
    play: (hand) => hand.click((page) => page.getByRole('button', { name: 'Log out' })),
    async sees({ page, shows }) {
      await shows('Log in', 'Token');
      await page.goBack();
      await page.reload();
      await shows('Log in', 'Token');
    },
  },
];

const root = mkdtempSync(join(tmpdir(), 'pacekeeper-tasks-'));
const base = join(root, 'base');
const tokens = new Map<string, string>();
const open: Served[] = [];
let facts: WeekFacts;

/** The name of a token has no spaces. */
const tokenName = (who: string) => who.split(' ')[0] ?? who;

beforeAll(async () => {
  await makeWeek(base);
  facts = factsOf(base);
  expect([facts.plan.length, facts.alerts.length]).toEqual([3, 4]);
  for (const [who, role] of Object.entries(PEOPLE)) {
    const made = await runCli(['serve', 'token', '--name', tokenName(who), '--role', role], { cwd: base, env: ENV });
    expect(made.code, made.stderr).toBe(0);
    tokens.set(who, made.stdout.trim());
  }
});
afterAll(async () => {
  await Promise.all(open.map(({ close }) => close()));
  rmSync(root, { recursive: true });
});

const WIDE = { width: 1400, height: 900 };

interface Look {
  readonly look: string;
  readonly tasks: readonly Task[];
  readonly options: BrowserContextOptions;
}

const LOOKS: readonly Look[] = [
  { look: 'with JavaScript', tasks: TASKS, options: { viewport: WIDE, javaScriptEnabled: true } },
  {
    look: 'on a phone',
    tasks: TASKS.filter(({ phone }) => phone),
    options: { viewport: { width: 375, height: 812 }, hasTouch: true, javaScriptEnabled: true },
  },
  {
    look: 'without JavaScript',
    tasks: TASKS.filter(({ noScript }) => noScript),
    options: { viewport: WIDE, javaScriptEnabled: false },
  },
];

it('lists 21 tasks of five people, seven of them on a phone and seven without JavaScript', () => {
  expect(LOOKS.map(({ tasks }) => tasks.length)).toEqual([21, 7, 7]);
  expect(new Set(TASKS.map(({ who }) => who))).toEqual(new Set(Object.keys(PEOPLE)));
});

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, ' ');
const NEAR = 600;

describe.each(LOOKS)('$look', ({ look, tasks, options }) => {
  const folder = join(root, look);
  let served: Served;

  beforeAll(async () => {
    cpSync(base, folder, { recursive: true });
    served = await serveFolder(folder, ENV);
    open.push(served);
  });

  it.each(tasks)('the $who: $task', async ({ who, from, lines = 1, play, sees }) => {
    const { page, complaints, elsewhere, close } = await visit(served.address, options);
    const downloads: Download[] = [];
    page.on('download', (download) => downloads.push(download));
    await logIn(page, served.address, tokens.get(who) ?? '');
    await page.goto(served.address + (typeof from === 'string' ? from : from(facts)));
    const hand = handOn(page, options.hasTouch === true);
    await play(hand, facts);
    const read = async () => (await page.locator('body').allInnerTexts()).join().replaceAll(/\s+/g, ' ');
    await sees({
      facts,
      page,
      downloads,
      shows: (...parts) =>
        expect.poll(read).toMatch(new RegExp(parts.map((part) => escaped(part ?? '')).join(`.{0,${NEAR}}?`))),
      record: (sql) => rowsIn(folder, 'state', sql),
    });
    expect(hand.used()).toBeLessThanOrEqual(USED_MAX * lines);
    expect([complaints.filter((text) => !/status of 401/.test(text)), elsewhere]).toEqual([[], []]);
    await close();
  });
});
