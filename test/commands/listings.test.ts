import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LISTINGS } from '../../src/commands/listings.ts';
import { beginCall, endCall } from '../../src/storage/records/agent-call-table.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { joinedColumns } from '../../src/views/kit/sheet.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { NOON, writeFolder } from '../support/world.ts';
import { type ProgramResult, runInProcess } from './run-in-process.ts';

/** One folder in which a report has proposed a change, and the next has changed a budget and told of it. */
const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = (args: readonly string[], now = NOON): Promise<ProgramResult> =>
  runInProcess(args, { folder, env: { PACEKEEPER_NOW: now }, userName: 'anna' });

beforeAll(async () => {
  const tests = 'tests: [{ range: { column: clicks, max: -1 }, severity: warn }]\n';
  writeFolder(folder, 'queries', { ...TRIM_QUERIES, 'stats.tests.yaml': tests });
  writeFolder(folder, 'rules', TRIM_RULES);
  // The day before a person had to approve, and did not.
  const config = join(folder, 'pacekeeper.yaml');
  writeFileSync(config, 'automation: { mode: approve }\nserve: { links: true }\n');
  expect(await run(['report'], '2026-11-19T11:00:00Z')).toMatchObject({ code: 0 });
  const link = ['--table', 'stats', '--columns', 'date,clicks', '--customer', '4081725530', '--days', '30'];
  expect(await run(['serve', 'link', 'create', ...link, '--where', 'clicks=1'])).toMatchObject({ code: 0 });
  expect(await run(['serve', 'link', 'revoke', '1'])).toMatchObject({ code: 0 });
  const state = await openState(join(folder, 'data', 'state.sqlite'));
  const call = {
    agent: 'desk',
    client: 'a host',
    clientVersion: '7.1',
    tool: 'status',
    argumentsSha256: '0'.repeat(64),
  };
  const begun = await beginCall(state.db, call, { callsAnHour: 1, keepCallsDays: 1 }, Date.parse(NOON));
  const end = { state: 'refused', code: 'BUSY', answerBytes: 90n } as const;
  if (begun.kind === 'begun') await endCall(state.db, begun.id, end, Date.parse(NOON));
  await state.close();
  rmSync(config);
  expect(await run(['report'])).toMatchObject({ code: 0 });
  const silence = ['alerts', 'silence', '--rule', '=trim', '--for', '2h', '--why', '=1+1'];
  expect(await run(silence)).toMatchObject({ code: 0 });
});

const COLUMNS = LISTINGS.map((listing) => {
  const columns = joinedColumns(listing, 'rows').map(({ key }) => key);
  return [listing.name, columns] as const;
});
const MORE: Readonly<Record<string, readonly string[]>> = {
  'alerts list': ['--all'],
  'budgets list': ['--all'],
  'catalogue diff': ['v25', 'spec'],
  fields: ['--search', 'cost'],
  ideas: ['shoes'],
  'rules backtest': ['trim', '--from', '2026-11-19', '--to', '2026-11-19'],
};
/** What nothing in that folder has: the sandbox's user has no page, and nothing failed or was undone. */
const UNFILLED: Readonly<Record<string, readonly string[] | 'all'>> = {
  accounts: ['through', 'failure'],
  'alerts list': ['ended_by', 'ended_at'],
  'budgets history': ['code', 'outcome', 'undoes', 'beyond_limits', 'undone_by', 'proposal', 'why'],
  'catalogue diff': ['after', 'new_resource', 'added_fields'],
  // test/commands/catalogue has a refreshed catalogue, and a query that it does not fit; sunset.test.ts a version that ends.
  'catalogue status': ['read_at', 'age_days', 'ends_on', 'failure', 'query', 'name', 'problem', 'instead'],
  'config show': ['instead'],
  // test/acceptance/reading/data-tests.test.ts has a test that could not be run.
  test: ['reason'],
  fields: ['selectable', 'filterable', 'sortable'],
  // Nor is there a target of several accounts: test/acceptance/budgets/approval-of-plans.test.ts has one.
  'budgets list': [
    'id',
    'kind',
    'plan',
    'changes',
    'budget_micros',
    'should_be_micros',
    'target_micros',
    'spent_micros',
    'actor',
    'code',
    'outcome',
    'updated_at',
    'intent_id',
  ],
  'graph page-tokens': 'all',
  // Nor is there a rule that paces: test/commands/pacing/pacing.test.ts has some.
  pacing: 'all',
  'rules backtest': ['limited_by', 'code', 'detail', 'text'],
  'rules evaluate': ['from_micros', 'to_micros', 'severity', 'text'],
  'rules list': ['where', 'alert', 'includes'],
  'sandbox inbox': ['error_code', 'media_url', 'reference'],
  status: ['error'],
};

function inCsv(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

describe('a listing', () => {
  it.each(COLUMNS)('%s has its columns, filled, and the same rows as CSV', async (name, columns) => {
    const words = [...name.split(' '), ...(MORE[name] ?? [])];
    const { code, stdout } = await run([...words, '--format', 'ndjson']);
    expect(code).toBe(0);
    const rows = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const row of rows) expect(Object.keys(row)).toEqual([...columns]);
    // Whoever renames a key elsewhere leaves its column empty here.
    const unfilled = columns.filter((column) => rows.every((row) => row[column] === null));
    const expected = UNFILLED[name] ?? [];
    expect(unfilled).toEqual(expected === 'all' ? columns : expected);
    const csv = parse<Record<string, string>>((await run([...words, '--format', 'csv'])).stdout, { columns: true });
    // An apostrophe disables a formula.
    const cells = csv.map((row) => columns.map((column) => row[column]?.replace(/^'/gm, '')));
    expect(cells).toEqual(rows.map((row) => columns.map((column) => inCsv(row[column]))));
    // What the sandbox shows is what its own phones have received.
    if (name !== 'sandbox inbox') expect(stdout).not.toMatch(/\+1555\d{7}/);
  });

  it('as CSV has amounts twice and disables formulas', async () => {
    const rows = parse((await run(['budgets', 'history', '--format', 'csv'])).stdout, { columns: true }) as {
      readonly row: string;
    }[];
    // Both are of one run, so that a busy machine decides which is newer.
    const [widened, change] = ['record_event', 'change'].map((kind) => rows.find(({ row }) => row === kind));
    expect(widened).toMatchObject({ row: 'record_event', kind: 'settings_widened', actor: 'pacekeeper' });
    expect(change).toMatchObject({
      row: 'change',
      id: '1',
      state: 'applied',
      currency: 'EUR',
      rule: 'trim',
      from_micros: '60000000',
      from: '60.00',
      to_micros: '51000000',
      to: '51.00',
    });
    const alerts = parse((await run(['alerts', 'list', '--format', 'csv'])).stdout, { columns: true }) as object[];
    expect(alerts).toContainEqual(expect.objectContaining({ row: 'silence', rule: "'=trim", why: "'=1+1" }));
  });

  it('as a spreadsheet has the heads and texts of its CSV, without their apostrophes', async () => {
    const { code, stdout } = await run(['alerts', 'list', '--format', 'xlsx']);
    expect(code).toBe(0);
    const sheet = unzipSync(Buffer.from(stdout, 'latin1'))['xl/worksheets/sheet1.xml'] ?? new Uint8Array();
    const texts = Array.from(strFromU8(sheet).matchAll(/preserve">([^<]*)</g), ([, found]) => found);
    const [heads = []] = parse((await run(['alerts', 'list', '--format', 'csv'])).stdout) as string[][];
    expect(texts.slice(0, heads.length)).toEqual(heads);
    expect(texts).toEqual(expect.arrayContaining(['=trim', '=1+1']));
  });

  it('is no spreadsheet in a terminal: the next step is a file', async () => {
    const { code, stdout, stderr } = await runInProcess(['fields', 'campaign', '--format', 'xlsx'], { columns: 80 });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('next step: Write it to a file: add > fields.xlsx to the command.');
  });

  it('in an unknown format names the known ones', async () => {
    const { code, stderr } = await run(['coverage', '--format', 'xls']);
    expect(code).toBe(2);
    expect(stderr).toContain('table, json, csv, ndjson, xlsx');
  });
});
