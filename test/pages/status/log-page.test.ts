import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { endWords } from '../../../src/dashboard/log/log-entry.ts';
import type { RenderedPage } from '../../../src/dashboard/status/page-source.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { budgetId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { Role } from '../../../src/domain/role.ts';
import { appendEvent } from '../../../src/storage/records/budgets/event-table.ts';
import { recordForeignChange } from '../../../src/storage/records/budgets/foreign-change-table.ts';
import type { LogEntry } from '../../../src/views/change-log.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { openedState } from '../../support/state.ts';

const FIRST = '2026-10-20T09:00:00Z';
const NOW = '2026-11-20T09:00:00Z';
const ACCOUNT = '4081725530';
/** A name of markup, with a sign that turns the direction of writing. */
const HOSTILE = '<img src=x onerror=alert(1)> \u202eanna';
const WHY = 'the "client" said <b>so</b>';
const RULE = `description: Trim.
from: campaign_spend
for: campaign
over: 7 days
when: clicks >= 1
currency: EUR
change: decrease budget by 10%
limits: { floor: 60, step: 10%, cooldown: 3 days }
mode: apply
`;
const ASKING = RULE.replace('Trim.', 'Ask.').replace('floor: 60', 'floor: 5').replace('apply', 'approve');

let folder: string;
let page: (query?: string, role?: Role) => Promise<RenderedPage>;

async function run(at: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await runInProcess([...args], { folder, env: { PACEKEEPER_NOW: at } });
  expect(code, stderr).toBe(0);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  for (const name of ['campaign', 'campaign_budget', 'campaign_spend']) {
    cpSync(`queries/${name}.sql`, join(folder, 'queries', `${name}.sql`));
  }
  writeFileSync(join(folder, 'rules', 'trim.yaml'), RULE);
  await run(FIRST, 'report');
  await run('2026-10-20T10:00:00Z', 'budgets', 'undo', 'B1', '--by=anna', '--why=a sale begins');
  writeFileSync(join(folder, 'rules', 'ask.yaml'), ASKING);
  rmSync(join(folder, 'rules', 'trim.yaml'));
  await run(NOW, 'report');
  const codes = rows<{ code: string }>("SELECT code FROM budget_proposal WHERE state = 'open' ORDER BY code");
  await run(NOW, 'budgets', 'reject', codes[0]?.code ?? '', `--by=${HOSTILE}`, `--why=${WHY}`);
  await run(NOW, 'budgets', 'approve', codes[1]?.code ?? '', '--by=jonas', '--why=agreed');
  await run(NOW, 'freeze', '--by=rosa', '--why=prices are wrong');
  const state = await openedState(join(folder, 'data', 'state.sqlite'));
  const change = {
    customerId: customerId(ACCOUNT),
    budgetId: budgetId('11'),
    accountDay: civilDate('2026-11-20'),
    expected: micros(51_000_000n),
    found: micros(70_000_000n),
  };
  await recordForeignChange(state.db, change, Date.parse(NOW)).finally(() => state.close());
  const settings = await readSettings(folder, {}, {});
  page = (query = '', role = 'viewer') =>
    statusPage({ settings, clock: fakeClock(NOW) }, { path: '/log', query, role });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function rows<Row>(sql: string): Row[] {
  const file = new Database(join(folder, 'data', 'state.sqlite'), { readonly: true });
  try {
    return file.prepare<[], Row>(sql).safeIntegers().all();
  } finally {
    file.close();
  }
}

const count = (sql: string) => Number(rows<{ count: bigint }>(`SELECT count(*) AS count ${sql}`)[0]?.count);

const query = (fields: Readonly<Record<string, string>>) => String(new URLSearchParams(fields));
const entriesIn = (html: string) => html.match(/<li id="e\d+">.*?<\/li>/gs) ?? [];
const textOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const money = (value: bigint) => `${Number(value) / 1e6}`.replace(/^(\d+)$/, '$1.00').replace(/\.(\d)$/, '.$10');
const findingIn = (html: string) => textOf(/<p class="find">.*?<\/p>/s.exec(html)?.[0] ?? '').trim();

describe('the change log of an address that names', () => {
  it.each([
    ['a person without entries', { by: '<script>' }, 'The record has nothing by “&lt;script&gt;”'],
    ['a rule without entries', { rule: `${'r'.repeat(300)}` }, 'The record has nothing of a rule “rrr'],
    ['no kind', { kind: 'constructor' }, 'no such kind'],
    ['an unknown account', { customer: '99' }, 'No account 99 is known'],
    ['a day that is none', { from: '2026-02-30' }, 'Ignored: <bdi>2026-02-30</bdi>'],
    ['days without entries', { to: '2020-01-01' }, 'No entry matches the filter.'],
    ['an event before all', { before: '1' }, 'No such page.'],
    ['an event that is no number', { before: '1 OR 1=1', after: '-1' }, 'Record intact.'],
  ])('%s answers with a valid page that says so', async (_what, fields, words) => {
    const { status, html } = await page(query(fields));
    expect(status).toBe(200);
    expect(html).toContain(words);
    expect(await htmlFindings(html)).toEqual([]);
  });
});

describe('the change log', () => {
  const SHOWN =
    "kind IN ('foreign_change', 'frozen', 'declined', 'proposal_expired') OR (kind = 'planned' AND id IN (SELECT min(id) FROM budget_event GROUP BY intent_id))";
  const OPEN = "FROM budget_proposal WHERE state = 'open'";

  it('has one entry for each change, request, rejection and freeze of the record, and is valid', async () => {
    const { html } = await page();
    const entries = entriesIn(html);
    expect(entries.length).toBe(count(`FROM budget_event WHERE ${SHOWN}`) + count(OPEN));
    expect(await htmlFindings(html)).toEqual([]);
    const kinds = rows<{ kind: string }>('SELECT DISTINCT kind FROM budget_event').map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['planned', 'applied', 'declined', 'approved', 'frozen', 'refused']));
  });

  it('shows the amounts, the state and all events of each change', async () => {
    const { html } = await page();
    const changes = rows<{ id: bigint; from: bigint; to: bigint; currency: string; events: bigint }>(
      `SELECT id, from_micros AS "from", to_micros AS "to", currency, (SELECT count(*) FROM budget_event AS e
        WHERE e.intent_id = i.id OR (e.kind = 'proposed' AND e.detail ->> 'proposal_code' IN
          (SELECT code FROM budget_proposal WHERE intent_id = i.id))) AS events FROM budget_intent AS i`,
    );
    expect(changes.length).toBeGreaterThan(2);
    for (const { id, from, to, currency, events } of changes) {
      const [entry = ''] = entriesIn(html).filter((one) => one.includes(`>B${id}</span>`));
      expect(textOf(entry)).toContain(`${money(from)} ${currency} → ${money(to)} ${currency} a day`);
      expect(entry).toContain(`${events} events</summary>`);
    }
  });

  it('quotes what people said, and says who undid which change', async () => {
    const text = textOf((await page()).html);
    expect(text).toMatch(/anna undid B1: .*? B\d+ .*?“ a sale begins ”/);
    expect(text).toContain('&lt;b&gt;so&lt;/b&gt; ”');
    expect(text).toMatch(/rosa froze all budgets “ prices are wrong ”/);
    expect(text).toMatch(/Somebody else changed .*? 51.00 EUR → 70.00 EUR/);
    expect(text).toContain('undone by B');
  });

  it('finds the entries of a person whose name is markup, by its own links', async () => {
    const { html } = await page();
    const href = /href="([^"]*by=%3Cimg[^"]*)"/.exec(html)?.[1] ?? '';
    const found = await page(href.replace(/^[^?]*\?/, '').replaceAll('&amp;', '&'));
    expect(entriesIn(found.html)).toHaveLength(count("FROM budget_event WHERE kind = 'declined'"));
    expect(found.html).not.toContain('<img');
    expect(found.html).not.toContain('\u202e');
    expect(await htmlFindings(found.html)).toEqual([]);
  });

  it.each([
    ['kind=rejection', 'On 20 Nov 2026: 1 request was rejected.'],
    ['by=rosa', 'On 20 Nov 2026: Budgets were frozen once.'],
    ['by=nobody', ''],
  ])('with the filter %s, its sentence does not say that nothing was changed', async (query, sentence) => {
    expect(findingIn((await page(query)).html)).toBe(sentence);
  });

  it('keeps its days in the links to other pages, but neither its person, its rule nor its kind', async () => {
    const { html } = await page('from=2026-11-20&by=jonas&rule=ask&kind=approval');
    const links = [...html.slice(0, html.indexOf('<main')).matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
    expect(links).toContain('./budgets?from=2026-11-20');
    expect(links.filter((href) => /by=|rule=|kind=/.test(`${href}`))).toEqual([]);
  });

  it('begins with a sentence that counts what the record has', async () => {
    const made = (where: string) => count(`FROM budget_intent WHERE state IN ('applied', 'confirmed') AND ${where}`);
    const october = await page(query({ from: '2026-10-01', to: '2026-10-31' }));
    const byRules = made("origin = 'rule' AND created_at < '2026-11'");
    expect(byRules).toBeGreaterThan(1);
    expect(findingIn(october.html)).toBe(
      `From 1 Oct 2026 until 31 Oct 2026, rules made ${byRules} changes and anna undid ${made("origin = 'undo'")} change .`,
    );
    const newest = findingIn((await page()).html);
    expect(newest).toBe(
      `On 20 Nov 2026, jonas approved ${made("origin = 'approval'")} change . 1 change was made elsewhere. 1 request was rejected. ${count(OPEN)} requests await a decision. Budgets were frozen once.`,
    );
  });

  it('counts refusals and suggestions, and shows them behind a link', async () => {
    const refused = count("FROM budget_event WHERE kind = 'refused'");
    const { html } = await page();
    expect(refused).toBeGreaterThan(0);
    expect(html).toContain(`kind=refusal">${refused} refusal`);
    expect(entriesIn((await page('kind=refusal')).html)).toHaveLength(refused);
    const all = await page('kind=all');
    expect(entriesIn(all.html).length).toBe(entriesIn(html).length + refused);
  });

  it('filters by account, rule and kind', async () => {
    const asked = await page('rule=ask');
    expect(entriesIn(asked.html)).toHaveLength(count("FROM budget_proposal WHERE rule = 'ask'"));
    const own = entriesIn((await page(`customer=${ACCOUNT}&kind=change`)).html);
    expect(own).toHaveLength(count(`FROM budget_intent WHERE origin = 'rule' AND customer_id = ${ACCOUNT}`));
    expect(entriesIn((await page('kind=freeze&by=rosa')).html)).toHaveLength(1);
  });

  it('shows only acts of people, without those of rules and of the program itself', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(folder, copy, { recursive: true });
    const state = await openedState(join(copy, 'data', 'state.sqlite'));
    const own = { kind: 'settings_widened', actor: 'pacekeeper', detail: { settings: ['automation.mode'] } } as const;
    await appendEvent(state.db, own, Date.parse(NOW)).finally(() => state.close());
    const people = (where: string) => count(`FROM budget_intent WHERE origin ${where}`);
    const acts = people("IN ('approval', 'undo')") + count("FROM budget_event WHERE kind IN ('declined', 'frozen')");
    for (const settings of [await readSettings(folder, {}, {}), await readSettings(copy, {}, {})]) {
      const deps = { settings, clock: fakeClock(NOW) };
      const { html } = await statusPage(deps, { path: '/log', query: 'kind=people', role: 'viewer' });
      expect(entriesIn(html)).toHaveLength(acts);
      expect(html).toContain('<option value="people" selected>Acts of people</option>');
      expect(textOf(html)).not.toMatch(/Somebody else|Not shown|awaits? a decision/);
      expect(await htmlFindings(html)).toEqual([]);
    }
    const both = entriesIn((await page('kind=people&by=rosa')).html);
    expect(both).toHaveLength(1);
    expect(entriesIn((await page(query({ kind: 'people', by: 'pacekeeper' }))).html)).toEqual([]);
  });

  it('explains expired and superseded requests once, where they appear', async () => {
    const { html } = await page();
    expect(html).not.toMatch(/Expired:|Superseded:/);
    const later = { settings: await readSettings(folder, {}, {}), clock: fakeClock('2026-12-20T09:00:00Z') };
    const expired = await statusPage(later, { path: '/log', query: '', role: 'viewer' });
    expect(expired.html.match(/Expired: nobody decided in time\./g)).toHaveLength(1);
    expect(expired.html.match(/>expired</g)).toHaveLength(count(OPEN));
    const ended = endWords(
      [{ change: { state: 'superseded' } }, { proposal: { state: 'superseded' } }, {}] as unknown as LogEntry[],
      NOW,
    );
    expect(ended.trim()).toBe('Superseded: a later report or another amount replaced it.');
  });

  it('has a CSV of the filtered entries with exact amounts and reasons', async () => {
    const { file } = await page('from=2026-10-01&to=2026-10-31&format=csv');
    const lines = parse<Record<string, string>>(String(file?.content ?? ''), { columns: true });
    const changes = rows<{ id: bigint; from: bigint; actor: string }>(
      `SELECT id, from_micros AS "from", actor FROM budget_intent WHERE created_at < '2026-11' ORDER BY id DESC`,
    );
    expect(lines.map(({ id, from_micros: from, actor }) => [id, from, actor]).toSorted()).toEqual(
      changes.map(({ id, from, actor }) => [String(id), String(from), actor]).toSorted(),
    );
    expect(lines.every(({ from, from_micros: exact }) => Number(from) * 1e6 === Number(exact))).toBe(true);
    const said = parse<Record<string, string>>(String((await page('format=csv&by=jonas')).file?.content ?? ''), {
      columns: true,
    });
    expect(said.map(({ row, why }) => [row, why])).toEqual([['change', 'agreed']]);
  });

  it('offers no act to a viewer, and no undo while budgets are frozen', async () => {
    expect((await page('', 'viewer')).html).not.toContain('>Undo</a>');
    const { html } = await page('', 'approver');
    expect(html).toContain('aria-disabled="true"');
    expect(html).toContain('Decide</a>');
    expect(html).not.toContain('act=undo');
  });
});

describe('the record on the change log', () => {
  it('is verified by a run, and by the page since', async () => {
    const text = textOf((await page()).html);
    const [head] = rows<{ id: bigint; hash: string }>('SELECT id, hash FROM budget_event ORDER BY id DESC LIMIT 1');
    const [proof] = rows<{ head: string }>(
      'SELECT record_head AS head FROM run WHERE record_head IS NOT NULL ORDER BY id DESC LIMIT 1',
    );
    const newer = Number(head?.id) - Number(proof?.head.split(':')[0]);
    expect(text).toContain(`Record intact. ${head?.id} events in one unbroken chain.`);
    expect(text).toContain('A run verified all events on 2026-11-20 09:00 UTC');
    expect(newer).toBeGreaterThan(0);
    expect(text).toContain(`This page verified the newest ${newer}.`);
    expect(text).toContain(`pacekeeper audit verify --head ${head?.id}:${head?.hash}`);
  });

  it('is not called intact after a run that did not verify it', async () => {
    const file = new Database(join(folder, 'data', 'state.sqlite'));
    const last = 'id = (SELECT max(id) FROM run)';
    const before = file.prepare<[], string>(`SELECT record_proven FROM run WHERE ${last}`).pluck().get();
    file.exec(`UPDATE run SET record_proven = NULL WHERE ${last}`);
    try {
      const text = textOf((await page()).html);
      expect(text).toContain('Record not verified. The last run ended without verifying it.');
      expect(text).not.toContain('Record intact');
    } finally {
      file.exec(`UPDATE run SET record_proven = '${before}' WHERE ${last}`);
      file.close();
    }
  });

  it('is in doubt when an event since the last run was altered', async () => {
    const file = new Database(join(folder, 'data', 'state.sqlite'));
    const triggers = file
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'budget_event'",
      )
      .all();
    for (const { name } of triggers) file.exec(`DROP TRIGGER ${name}`);
    const newest = file.prepare<[], bigint>('SELECT max(id) FROM budget_event').pluck().get();
    file.prepare('UPDATE budget_event SET actor = ? WHERE id = ?').run('someone', newest);
    try {
      const text = textOf((await page()).html);
      expect(text).toContain(`Record in doubt. Event ${newest} was altered`);
      expect(text).toContain('Run pacekeeper audit verify');
    } finally {
      file.prepare('UPDATE budget_event SET actor = ? WHERE id = ?').run('someone else', newest);
      for (const { sql } of triggers) file.exec(sql);
      file.close();
    }
  });
});
