import { describe, expect, it } from 'vitest';
import { accountFinding } from '../../../src/dashboard/report/report-head.ts';
import { renderReport, reportDocument } from '../../../src/dashboard/report/report-page.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { RecordedDecision } from '../../../src/storage/records/budgets/decision-table.ts';
import type { RunTarget } from '../../../src/storage/records/runs/run-result-table.ts';
import { html } from '../../../src/views/html/html.ts';
import { accountMonths } from '../../../src/views/report/account-months.ts';
import type { ReportFacts } from '../../../src/views/report/report-facts.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { account, BUSY, NOTHING, settledDays } from './report-facts.ts';

const busy = reportDocument(BUSY);

describe('a report with hostile names', () => {
  it('contains no element from a name', () => {
    expect(busy).not.toMatch(/<script|<img/i);
    expect(busy.match(/<svg/g)?.length).toBe(busy.match(/<\/svg>/g)?.length);
    expect(busy).toContain('<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>');
  });

  it('is valid HTML', async () => expect(await htmlFindings(busy)).toEqual([]));

  it('loads nothing: no attribute has an address outside the page', () => {
    const tags =
      busy
        .match(/<[^>]*>/g)
        ?.join('')
        .replace(/(?:aria-label|data-tip)="[^"]*"/g, '') ?? '';
    expect(tags).not.toMatch(/\s(?:src|srcset|action|data|poster)=|href="(?!#|data:,)|url\(|https?:/i);
    expect(busy).not.toMatch(/@import|url\(/);
  });

  it('has headings in order, and a table for every chart', () => {
    const levels = [...busy.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    levels.forEach((level, index) => void expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1));
    const figures = busy.match(/<figure>[\s\S]*?<\/figure>/g) ?? [];
    expect(figures.length).toBeGreaterThan(3);
    for (const figure of figures) expect(figure).toContain('<table');
  });

  it('shows failures, refusals with reasons, and says that a comparison is no proof', () => {
    expect(sectionOf(busy, 'needs-you')).toMatch(/Failed:<\/span> &lt;script&gt;[\s\S]*awaits approval, rule trim/);
    expect(busy).toMatch(
      /<strong>[^\n]*<\/strong><br>[^\n]*<span class="note"><code title="[^"]+">COOLDOWN<\/code><\/span>/,
    );
    expect(busy).toContain('This is no proof');
  });

  it('shows the targets of the newest run', () => {
    expect(busy).toContain('From run 7 at 2026-11-21 05:29 UTC.');
    expect(busy).toMatch(/<span class="badge waits">low<\/span>[\s\S]*?>90\.00 EUR<[\s\S]*?>3,000\.00 EUR</);
    expect(reportDocument(NOTHING)).not.toContain('Monthly targets');
  });

  it('never adds amounts of two currencies', () => {
    expect(busy).toMatch(/\d EUR/);
    expect(busy).toMatch(/\d JPY/);
    expect(busy).not.toMatch(/Total/i);
  });
});

describe.each<[string, Partial<ReportFacts>, RegExp]>([
  ['nothing was read', {}, /The month so far: none read yet\. Run pacekeeper report\./],
  [
    'an account has no currency, no time zone and no budget',
    { accounts: [account({ currency: undefined, timeZone: undefined, budget: undefined })] },
    /currency unknown, time zone unknown\. Its budgets are unknown: add a query that selects .*campaign_budget\.amount_micros/,
  ],
  [
    'only budgets of other accounts are listed',
    { accounts: [account({ budget: undefined })], budgetTables: { budgets: ['pots'], campaigns: ['pots'] } },
    /All budgets are unknown: the table <code>pots<\/code> does not list them\.[\s\S]*The budgets of the campaigns are unknown: the table <code>pots<\/code> lacks removed campaigns/,
  ],
  [
    'no query links campaigns to budgets',
    { accounts: [account()] },
    /The budgets of the campaigns are unknown: add a query that selects <code>campaign\.id<\/code>.*such as <code>queries\/campaign\.sql<\/code>/,
  ],
  [
    'no table has daily clicks',
    { asOf: '2026-11-21T05:30:00Z', nearest: { query: 'spend', lacks: ['metrics.clicks'] } },
    /no table has clicks and cost per campaign and day\. Add metrics\.clicks to the query spend\./,
  ],
  ['an account has no days', { accounts: [account({ days: [], campaigns: [] })] }, /no days read/],
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
    /no complete day yet/,
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
    /19 complete days of 30 \(1 earlier day is missing or provisional\)/,
  ],
])('when %s', (_, change, said) => {
  const page = reportDocument({ ...NOTHING, ...change });

  it('says so in valid HTML, without NaN or undefined', async () => {
    expect(page).toMatch(said);
    expect(page).not.toMatch(/NaN|undefined|null|Infinity/);
    expect(await htmlFindings(page)).toEqual([]);
  });
});

describe('decisions', () => {
  const [change] = BUSY.decisions;
  const decided = (parts: Partial<RecordedDecision>): RecordedDecision => ({ ...(change ?? never()), ...parts });
  const pageOf = (decisions: readonly RecordedDecision[]) => reportDocument({ ...NOTHING, decidingRun: 7n, decisions });
  const rowOf = (page: string) => cellsOf(page.match(/By rule<[\s\S]*?<tbody[^>]*>([\s\S]*?)<\/tbody>/)?.[1] ?? '');
  const cellsOf = (row: string) => [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell]) => cell);

  it('suggested in mode propose show their amounts and are counted by rule', () => {
    const page = pageOf([decided({ kind: 'would_change', mode: 'propose', intent: undefined })]);
    expect(page).toContain('suggested');
    expect(page).toContain('<span class="day">60.00 EUR</span> <span class="day">→ 51.00 EUR</span>');
    expect(rowOf(page)).toEqual(['<bdi>trim</bdi>', '0', '0', '0', '0', '1', '0', '0', '0', '0']);
  });

  it('by people are not counted for the rule', () => {
    const page = pageOf([
      decided({}),
      decided({}),
      decided({ origin: 'approval' }),
      decided({ origin: 'undo' }),
      decided({ origin: 'undo', intent: change?.intent && { ...change.intent, state: 'rejected' } }),
    ]);
    expect(rowOf(page)).toEqual(['<bdi>trim</bdi>', '2', '1', '1', '1', '0', '0', '0', '0', '0']);
  });

  it('that await approval are counted apart from refusals', () => {
    const refusal = { kind: 'refusal', mode: undefined, intent: undefined } as const;
    const page = pageOf([
      decided({ ...refusal, code: 'WAITS_FOR_APPROVAL' }),
      decided({ ...refusal, code: 'WAITS_FOR_APPROVAL' }),
      decided({ ...refusal, code: 'COOLDOWN' }),
    ]);
    expect(rowOf(page).slice(0, -1)).toEqual(['<bdi>trim</bdi>', '0', '0', '0', '0', '0', '0', '0', '2', '1']);
    expect(rowOf(page).at(-1)).toMatch(/^[^W]*COOLDOWN<\/code> 1×<\/span>$/);
  });
});

describe('a rule', () => {
  const ruleTexts = new Map([['trim', 'Take from what sells <nothing>.']]);
  const page = reportDocument({ ...BUSY, ruleTexts });

  it('appears with its description wherever it decided, so not at an undo', () => {
    const said = /trim(<\/bdi>)?<br><span class="note">Take from what sells &lt;nothing&gt;\.<\/span>/g;
    expect(page.match(said)?.length).toBe(1 + decided.length + lastRunAgain);
    expect(busy).not.toContain('trim<br><span class="note">Take');
  });

  it('keeps the page valid', async () => expect(await htmlFindings(page)).toEqual([]));

  const decided = BUSY.decisions.filter(({ origin }) => origin !== 'undo');
  // What the last run decided stands in its own table and in that of the month.
  const lastRunAgain = BUSY.decisions.filter(({ runId }) => runId === BUSY.decidingRun).length;
});

it('cuts long names in tables, with the full name as tooltip, and shows them whole in headings', async () => {
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
  expect(await htmlFindings(page)).toEqual([]);
});

describe('the first screen', () => {
  const target = {
    ...(BUSY.targets?.rows[0] ?? never()),
    state: 'high',
    target: 300_000_000n,
    projected: 330_000_000n,
  };
  const spent = 250_000_000n;
  const targetsOf = (rows: readonly RunTarget[], at = '2026-11-21T05:29:00Z') => ({ runId: 7n, at, rows });
  const ZELTE = account({
    name: 'Zelte & Co',
    days: settledDays('2026-10-01', '2026-11-20', () => 12.5),
    budget: { dailyMicros: 20_000_000n, source: 'the settings', count: 2 },
  });
  const factsWith = (rows: readonly RunTarget[], one = ZELTE, at?: string) => ({
    ...NOTHING,
    accounts: [one],
    targets: targetsOf(rows, at),
  });
  const pageWith = (...about: Parameters<typeof factsWith>) => reportDocument(factsWith(...about));
  const findingOf = (facts: ReportFacts) =>
    textOf(/data-section="finding">([\s\S]*?)<\/div>/.exec(reportDocument(facts))?.[1]);
  const october = account({ name: 'Tents', days: settledDays('2026-10-01', '2026-10-31', () => 10) });
  const ofOctober = { ...target, rule: 'tents', spent: 310_000_000n };
  const FIRST = '2026-11-01T05:29:00Z';

  it.each<[sentence: string, facts: ReportFacts, said: RegExp]>([
    [
      'what an account spent and where its month ends',
      factsWith([]),
      /^Zelte &amp; Co spent 250 EUR in November and is on course for 375 EUR\. /,
    ],
    [
      'the month compared with a target of the whole account',
      factsWith([{ ...target, spent }]),
      /^Zelte &amp; Co is on course for 330 of 300 EUR \(\+10%, over target\) in November\./,
    ],
    [
      'how many budgets the target covers',
      factsWith([{ ...target, rule: 'tents', spent: 1n, covers: ['Tents', 'Stoves'] }]),
      /Target of tents, 2 budgets: on course for 330 of 300 EUR \(\+10%, over target\)\./,
    ],
    [
      'whose target it is if it covers a part of the account',
      factsWith([{ ...target, rule: 'tents', spent: 1n }]),
      /on course for 375 EUR\. Target of tents: on course for 330 of 300 EUR \(\+10%, over target\)\./,
    ],
    [
      'a target without spend, but not as one of the whole account',
      factsWith(
        [{ ...target, rule: 'tents', spent: 0n }],
        account({ name: 'Idle', days: settledDays('2026-11-01', '2026-11-20', () => 0) }),
      ),
      /^Idle spent 0\.00 EUR in November and is on course for 0\.00 EUR\. Target of tents: /,
    ],
    [
      'on the first of a month that a target is of the new month, and nothing more of the old one',
      factsWith([ofOctober], october, FIRST),
      /^Tents spent 310 EUR in October\. Target of tents in November: on course for 330 of 300 EUR/,
    ],
    [
      'the month of a target by the calendar of the account',
      factsWith([ofOctober], { ...october, timeZone: 'Pacific/Honolulu' }, FIRST),
      /^(?!.*in November)/s,
    ],
    [
      'the target that is furthest off',
      factsWith([
        { ...target, rule: 'near', state: 'in_band', projected: 310_000_000n },
        { ...target, rule: 'far', spent: 1n },
      ]),
      /Target of far: /,
    ],
  ])('of an account says %s', (_sentence, facts, said) => {
    const finding = accountFinding(accountMonths(facts), facts);
    expect(textOf(finding === false ? '' : finding.markup)).toMatch(said);
  });

  it.each<[sentence: string, row: Partial<RunTarget>, said: RegExp]>([
    ['how far a target is off', {}, /^Tents: Boots is on course for 330 of 300 EUR, 10% over\. /],
    ['several budgets in the plural', { covers: ['Boots', 'Stoves'] }, /^Tents: 2 paced budgets are on course for /],
    [
      'the target of several accounts',
      { customerId: undefined, subject: '2 accounts', members: [] },
      /^Target .+ \(2 accounts\) is on course /,
    ],
    ['that all is spent', { state: 'overspent' }, /330 of 300 EUR, and all of it is spent\. /],
    ['too low budgets', { state: 'low', projected: 270_000_000n }, /270 of 300 EUR, 10% under\. /],
    [
      'budgets that are too high although less is spent',
      { projected: 270_000_000n },
      /270 of 300 EUR, budgets too high\. /,
    ],
    ['no sentence about a target that is met', { state: 'in_band' }, /^Spend of the last 7 days /],
  ])('says %s', (_sentence, change, said) => {
    const lead = { ...target, accountName: 'Tents', covers: ['Boots'], days: [], ...change };
    expect(findingOf({ ...factsWith([lead]), targets: { ...targetsOf([lead]), lead } })).toMatch(said);
  });

  it('has no sentence without a finding', () => expect(findingOf(NOTHING)).toBe(''));

  it('says a failure first, then what needs a person', () => {
    const lastRun = BUSY.lastRun && { ...BUSY.lastRun, state: 'failed' as const, failures: ['No answer.', 'More.'] };
    expect(findingOf({ ...BUSY, lastRun, targets: undefined })).toMatch(
      /^The last report failed: No answer\. 1 change awaits approval\. /,
    );
  });

  it('has the target in the table of accounts, with its month', () => {
    expect(sectionOf(pageWith([{ ...target, spent }]), 'accounts')).toContain('330 EUR');
    expect(sectionOf(pageWith([ofOctober], october, FIRST), 'accounts')).toContain('tents</bdi>, November 2026');
  });

  it('counts targets off course of accounts that it does not show', () => {
    const rows = ['4081725530', '77'].map((id) => ({ ...target, customerId: customerId(id) }));
    expect(findingOf(factsWith(rows))).toContain('2 targets off course.');
  });

  it('has a colour only where something is off a target, never below a cap', () => {
    const parts = (page: string) => ['needs-you', 'accounts'].map((name) => sectionOf(page, name)).join('');
    const large = pageWith([], { ...ZELTE, budget: { dailyMicros: 900_000_000n, source: 'the settings', count: 2 } });
    expect(parts(large)).not.toMatch(/class="(?:bad|warn)/);
    expect(parts(large)).toContain('budgets allow 27,000<');
    expect(parts(pageWith([{ ...target, spent }]))).toContain('<span class="bad">+10%, over target</span>');
  });

  it('says what awaits approval, then what the last run did', () => {
    expect(findingOf(BUSY)).toMatch(/1 change awaits approval\.[\s\S]*Run 7 changed 1 budget and suggested 1\.$/);
  });

  it('leaves room for what awaits a person if much failed, and counts the rest', () => {
    const step = 'Run pacekeeper status.';
    const asked = (many: number) =>
      Array.from({ length: many }, (_, index) => ({
        kind: 'doubt' as const,
        words: `Asked ${index}.`,
        step,
        path: '/inbox',
        way: 'Act',
      }));
    const failures = Array.from({ length: 8 }, (_, index) => `Failure ${index}.`);
    const shown = (many: number) => {
      const lastRun = BUSY.lastRun && { ...BUSY.lastRun, failures };
      const page = sectionOf(reportDocument({ ...NOTHING, lastRun, needs: asked(many) }), 'needs-you');
      return [page.match(/Failure \d/g)?.length, page.match(/Asked \d/g)?.length ?? 0, /And \d+ more/.exec(page)?.[0]];
    };
    expect([0, 2, 4, 20].map(shown)).toEqual([
      [8, 0, undefined],
      [8, 2, undefined],
      [6, 4, 'And 2 more'],
      [5, 5, 'And 18 more'],
    ]);
  });

  it('says when nobody needs to act', () => {
    expect(sectionOf(pageWith([]), 'needs-you')).toContain('Nothing needs you.');
  });

  it('never says that nothing needs anybody because a filter hides it', () => {
    const page = textOf(sectionOf(reportDocument({ ...NOTHING, needsElsewhere: 2 }), 'needs-you'));
    expect(page).toContain('Nothing here needs you.2 things outside this filter need you.');
    expect(page).not.toContain('Nothing needs you.');
  });

  it('names the parts of the page', () => {
    const names = [...busy.matchAll(/data-section="([a-z-]+)"/g)].map(([, name]) => name);
    expect(names).toEqual(['finding', 'course', 'needs-you', 'movers', 'accounts', 'changes', 'quality']);
  });

  it('marks budget changes on the charts, and says so only if a chart has marks', () => {
    const caption = (changes: ReportFacts['changes']) =>
      /<caption>.*?<\/caption>/.exec(sectionOf(reportDocument({ ...BUSY, changes }), 'accounts'))?.[0];
    expect(caption(BUSY.changes)).toContain('Dots mark budget changes');
    for (const changes of [[], BUSY.changes.map((one) => ({ ...one, accountDay: civilDate('2026-10-02') }))]) {
      expect(caption(changes)).not.toContain('Dots');
    }
    const chart = (changes: ReportFacts['changes']) =>
      sectionOf(reportDocument({ ...BUSY, changes }), 'accounts').match(/<svg[\s\S]*?<\/svg>/)?.[0];
    expect(chart(BUSY.changes)?.match(/<path/g)?.length).toBeGreaterThan(chart([])?.match(/<path/g)?.length ?? 99);
  });

  it('summarises five hundred accounts, those off target first', () => {
    const accounts = Array.from({ length: 200 }, (_, index) =>
      account({ customerId: customerId(String(1_000_000_000 + index)), name: `Client ${index}`, campaigns: undefined }),
    );
    const off = { ...target, customerId: customerId('1000000150'), rule: 'tents', spent: 1n };
    const page = reportDocument({
      ...NOTHING,
      accounts,
      accountsLeftOut: 300,
      targets: targetsOf([off]),
    });
    expect(page).toContain('<summary>188 more accounts</summary>');
    expect(page).toMatch(/<th scope="row"[^>]*><bdi>Client 150</);
    expect(page).toContain('300 accounts with fewer recent clicks are not shown');
  });
});

describe('the report on the overview', () => {
  const withRun = (id: bigint) =>
    renderReport(BUSY, {
      here: '/',
      canUndo: true,
      now: html`<li>the last run</li>`,
      top: html`<p>the line above</p>`,
      first: html`<p>the figures</p>`,
      run: id,
    }).markup;

  it('begins with the finding, then has the parts of the overview, and shows the last run once', () => {
    const page = withRun(7n);
    const places = ['class="find"', 'the last run', 'Numbers as of', 'the line above', 'the figures', 'Needs you'].map(
      (text) => page.indexOf(text),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(page).not.toContain('<li>Run 7');
  });

  it('shows the last report beside the last run if that was another command', () => {
    expect(withRun(8n)).toContain('<li>Run 7, pacekeeper report: ');
  });

  it('links what needs somebody to the place where they act, which the report file cannot', () => {
    const needs = sectionOf(withRun(7n), 'needs-you');
    expect(needs).toContain('<a href="./inbox#proposal-K7QX">Approve or reject</a>');
    expect(needs).toContain('<a href="./runs/7">Run 7</a>');
    expect(needs).not.toContain('pacekeeper budgets');
    expect(sectionOf(busy, 'needs-you')).toContain('Run pacekeeper budgets approve K7QX.');
  });

  it('links accounts to their pages, which the report file cannot', () => {
    expect(withRun(7n)).toContain('href="./accounts/');
    expect(reportDocument(BUSY)).not.toContain('href="./');
  });
});

it('counts alerts apart from their messages', () => {
  const [alert] = BUSY.alerts;
  const alerts = Array(3).fill({ ...(alert ?? never()), state: 'delivered' });
  expect(reportDocument({ ...BUSY, alerts })).toContain('Alerts (1 alert, last 30 days)');
  expect(busy).toContain('Alerts (1 alert, last 30 days, delivery not confirmed for 1)');
});

function sectionOf(page: string, name: string): string {
  return page.match(new RegExp(`<section[^>]*data-section="${name}"[^>]*>([\\s\\S]*?)</section>`))?.[1] ?? never();
}

function textOf(markup = ''): string {
  return markup.replace(/<[^>]*>/g, '').trim();
}

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
  expect(page).toMatch(/15 other campaigns<\/bdi><\/th><td[^>]*>300\.00 EUR/);
});
