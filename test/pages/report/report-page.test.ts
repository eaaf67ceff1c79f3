import { HtmlValidate } from 'html-validate';
import { describe, expect, it } from 'vitest';
import type { ReportFacts } from '../../../src/pages/report/report-facts.ts';
import { verdict } from '../../../src/pages/report/report-overview.ts';
import { reportDocument } from '../../../src/pages/report/report-page.ts';
import { overviewPage } from '../../../src/pages/status/overview-page.ts';
import type { RecordedDecision } from '../../../src/store/budgets/decision-table.ts';
import { account, BUSY, NOTHING, settledDays } from './report-facts.ts';

const busy = reportDocument(BUSY);
// A style that turns rows into blocks makes readers of screens forget what they are, so the roles are said.
const rules = { 'no-redundant-role': 'off' } as const;
const validator = new HtmlValidate({ extends: ['html-validate:recommended', 'html-validate:a11y'], rules });

async function findingsIn(page: string): Promise<string[]> {
  const { results } = await validator.validateString(page);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
  );
}

describe('a report in which every name is hostile', () => {
  it('has no element that a name brought along', () => {
    expect(busy).not.toMatch(/<script|<img/i);
    expect(busy.match(/<svg/g)?.length).toBe(busy.match(/<\/svg>/g)?.length);
    expect(busy).toContain('<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>');
  });

  it('is valid HTML', async () => expect(await findingsIn(busy)).toEqual([]));

  it('asks for nothing from anywhere: no address outside the page in any attribute', () => {
    const tags = busy.match(/<[^>]*>/g)?.join('') ?? '';
    expect(tags).not.toMatch(/\s(?:src|srcset|action|data|poster)=|href="(?!#|data:,)|url\(|https?:/i);
    expect(busy).not.toMatch(/@import|url\(/);
  });

  it('has headings in order, and a table behind every drawing', () => {
    const levels = [...busy.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    levels.forEach((level, index) => void expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1));
    const figures = busy.match(/<figure>[\s\S]*?<\/figure>/g) ?? [];
    expect(figures.length).toBeGreaterThan(3);
    for (const figure of figures) expect(figure).toContain('<table');
  });

  it('says what failed, what was refused and why, and that a comparison is no proof', () => {
    expect(busy).toContain('The last run failed in 1 point');
    expect(busy).toMatch(
      /<strong>[^\n]*<\/strong><br>[^\n]*<span class="note"><code title="[^"]+">COOLDOWN<\/code><\/span>/,
    );
    expect(busy).toContain('It is no proof');
  });

  it('shows the targets of rules as the newest run saw them, and says so where it says what budgets are not', () => {
    expect(busy).toContain('as run 7 saw it at 2026-11-21 05:29 UTC');
    expect(busy).toMatch(/<span class="badge waits">low<\/span>[\s\S]*?>90\.00 EUR<[\s\S]*?>3,000\.00 EUR</);
    expect(busy).toContain('not a target that anybody set (those stand below)');
    expect(reportDocument(NOTHING)).not.toContain('Targets of rules');
  });

  it('never adds amounts of two currencies', () => {
    expect(busy).toMatch(/\d EUR/);
    expect(busy).toMatch(/\d JPY/);
    expect(busy).not.toMatch(/Total/i);
  });
});

describe.each<[string, Partial<ReportFacts>, RegExp]>([
  ['nothing at all was read', {}, /no account was read yet\. Run pacekeeper report\./],
  [
    'an account has no currency, no time zone and no budget',
    { accounts: [account({ currency: undefined, timeZone: undefined, budget: undefined })] },
    /currency not known, time zone not known\. Its budgets are not known: add a query that selects .*campaign_budget\.amount_micros/,
  ],
  [
    'budgets are listed, of other accounts only',
    { accounts: [account({ budget: undefined })], budgetTables: { budgets: ['pots'], campaigns: ['pots'] } },
    /No account’s budgets are known: the table <code>pots<\/code> has none of them\.[\s\S]*spends from which budget is not known: the table <code>pots<\/code> does not have it/,
  ],
  [
    'no query says which campaign spends from which budget',
    { accounts: [account()] },
    /not known: add a query that selects <code>campaign\.id<\/code>.*such as <code>queries\/campaign\.sql<\/code>/,
  ],
  [
    'no table has clicks by day',
    { asOf: '2026-11-21T05:30:00Z', nearest: { query: 'spend', lacks: ['metrics.clicks'] } },
    /no table has clicks and cost per campaign and day: add metrics\.clicks to the query spend\./,
  ],
  ['an account has no day', { accounts: [account({ days: [], campaigns: [] })] }, /no day was read/],
  [
    'no day is complete yet',
    {
      accounts: [
        account({
          days: settledDays('2026-11-20', '2026-11-20', () => 1).map((day) => ({ ...day, state: 'provisional' })),
          campaigns: [],
        }),
      ],
    },
    /no day is complete yet/,
  ],
  [
    'every value is unknown',
    {
      accounts: [
        account({
          campaigns: [],
          days: settledDays('2026-11-01', '2026-11-20', () => 1).map((day) => ({
            ...day,
            costMicros: undefined,
            clicks: undefined,
          })),
        }),
      ],
    },
    /an unknown amount<\/strong> spent in 20 complete days of 30/,
  ],
  [
    'a day in the middle of the month is missing',
    {
      accounts: [
        account({
          days: settledDays('2026-10-20', '2026-11-20', () => 1).map((day) =>
            day.date === '2026-11-10' ? { ...day, state: 'missing', costMicros: undefined } : day,
          ),
        }),
      ],
    },
    /19 complete days<\/?.* of 30 \(1 day before them is missing or provisional\)|19 complete days of 30 \(1 day before them is missing/,
  ],
])('when %s', (_, change, said) => {
  const page = reportDocument({ ...NOTHING, ...change });

  it('says so, in valid HTML, and shows no number that is none', async () => {
    expect(page).toMatch(said);
    expect(page).not.toMatch(/NaN|undefined|null|Infinity/);
    expect(await findingsIn(page)).toEqual([]);
  });
});

describe('decisions', () => {
  const [change] = BUSY.decisions;
  const decided = (parts: Partial<RecordedDecision>): RecordedDecision => ({ ...(change ?? never()), ...parts });
  const pageOf = (decisions: readonly RecordedDecision[]) => reportDocument({ ...NOTHING, decidingRun: 7n, decisions });
  const rowOf = (page: string) => cellsOf(page.match(/By rule<[\s\S]*?<tbody[^>]*>([\s\S]*?)<\/tbody>/)?.[1] ?? '');
  const cellsOf = (row: string) => [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell]) => cell);

  it('that mode propose only shows stand with their amounts, and are counted by rule', () => {
    const page = pageOf([decided({ kind: 'would_change', mode: 'propose', intent: undefined })]);
    expect(page).toContain('suggested');
    expect(page).toContain('<span class="day">60.00 EUR</span> <span class="day">→ 51.00 EUR</span>');
    expect(rowOf(page)).toEqual(['trim', '0', '0', '0', '0', '1', '0', '0', '0', '–']);
  });

  it('of people are not counted as those of the rule', () => {
    const page = pageOf([
      decided({}),
      decided({}),
      decided({ origin: 'approval' }),
      decided({ origin: 'undo' }),
      decided({ origin: 'undo', intent: change?.intent && { ...change.intent, state: 'rejected' } }),
    ]);
    expect(rowOf(page)).toEqual(['trim', '2', '1', '1', '1', '0', '0', '0', '0', '–']);
  });
});

describe('a rule', () => {
  const ruleTexts = new Map([['trim', 'Take from what sells <nothing>.']]);
  const page = reportDocument({ ...BUSY, ruleTexts });

  it('stands with the sentence that says what it is for, wherever it is named', () => {
    const said = 'trim<br><span class="note">Take from what sells &lt;nothing&gt;.</span>';
    expect(page.split(said).length - 1).toBe(1 + BUSY.decisions.length + lastRunAgain);
    expect(busy).not.toContain('trim<br><span class="note">Take');
  });

  it('leaves the page valid', async () => expect(await findingsIn(page)).toEqual([]));

  // What the last run decided stands in its own table and in that of the month.
  const lastRunAgain = BUSY.decisions.filter(({ runId }) => runId === BUSY.decidingRun).length;
});

it('cuts long names in tables, where pointing at one shows all of it, and leaves them whole in headings', async () => {
  const name = `Brand ${'long '.repeat(60)}end`;
  const [campaign] = account().campaigns ?? [];
  const page = reportDocument({
    ...NOTHING,
    accounts: [account({ name, campaigns: [{ ...(campaign ?? never()), name }] })],
  });
  expect(page).toContain(`<h3 id="a4081725530"><bdi>${name}</bdi></h3>`);
  const cut = [...page.matchAll(/<bdi title="([^"]*)">([^<]*)<\/bdi>/g)];
  expect(cut.length).toBeGreaterThan(1);
  for (const [, whole, short] of cut) {
    expect(whole).toBe(name);
    expect(short).toMatch(/^Brand long [a-z ]{40,70}…$/);
  }
  expect(await findingsIn(page)).toEqual([]);
});

it('says that days of the past are compared with the budgets of today, and where the month would end before all numbers', () => {
  const page = reportDocument({ ...NOTHING, accounts: [account()] });
  const titles = [...(page.match(/<span>Accounts<[\s\S]*?<\/thead>/)?.[0] ?? '').matchAll(/<th [^>]*>([^<]*)/g)];
  expect(titles.map(([, title]) => title)).toEqual([
    'Account',
    'Would end',
    'Month',
    'Spent',
    'These days at today’s budgets',
    'Spent of it',
    'Month at run rate',
    'Month at today’s budgets',
  ]);
  expect(page).toContain('also for days on which they were others');
  expect(page).toMatch(/class="key">[\s\S]{0,600}at today’s budgets/);
});

describe('the overview of the status page', () => {
  const run = {
    ...(BUSY.lastRun ?? never()),
    error: undefined,
    failures: 1n,
  };
  const pageWith = (id: bigint) =>
    overviewPage({
      run: { ...run, id },
      proposals: 0,
      open: 0,
      firing: 0,
      report: { ...BUSY, frozen: { why: 'frozen by hand', isLiftable: true } },
    });

  it('begins with the freeze and its heading, and says the last run once', async () => {
    const page = pageWith(7n);
    const places = ['No budget is changed: frozen by hand.', '<h1>', '<ul class="now">', 'Numbers as of'].map((text) =>
      page.indexOf(text),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(page.match(/Last (?:run|report)</g)).toHaveLength(1);
    expect(await findingsIn(page)).toEqual([]);
  });

  it('says the last report beside the last run where that did something else', () => {
    expect(pageWith(8n).match(/Last (?:run|report)</g)).toEqual(['Last run<', 'Last report<']);
  });
});

it('calls a month over or under by what it comes to exactly, and not by what is shown of it', () => {
  const pace = (projected: bigint) => verdict({ projected, idealOfMonth: 1_300_500_000n })?.markup;
  expect(pace(1_235_230_000n)).toContain('−5.0%, under');
  expect(pace(1_235_475_000n)).toContain('−5.0%, on pace');
});

it('counts budget changes, and alerts apart from the messages that told them', () => {
  const [alert] = BUSY.alerts;
  const alerts = ['1', '2', '3'].map((message) => ({ ...(alert ?? never()), message, state: 'delivered' as const }));
  const [change] = BUSY.decisions;
  const page = reportDocument({ ...BUSY, alerts, decisions: [{ ...(change ?? never()), origin: 'undo' }] });
  expect(page).toContain('<strong>1</strong><span>budget change in 30 days, 1 of them an undo</span>');
  expect(page).toContain('<strong>1</strong><span>alert in 30 days, told in 3 messages</span>');
});

function never(): never {
  throw new Error('The busy report has one.');
}

it('shows the first campaigns by spend, and the sum of the others', () => {
  const days = settledDays('2026-11-01', '2026-11-20', () => 1);
  const campaigns = Array.from({ length: 40 }, (_, index) => ({
    campaignId: String(index + 1),
    name: `Campaign ${index + 1}`,
    budget: undefined,
    days: new Map(days.map((day) => [day.date, day])),
  }));
  const page = reportDocument({ ...NOTHING, accounts: [account({ days, campaigns })] });
  expect(page).toContain('the first 25 of 40');
  expect(page).toMatch(/15 other campaigns<\/th><td[^>]*>300\.00 EUR/);
});
