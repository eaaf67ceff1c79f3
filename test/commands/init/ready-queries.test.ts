import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { readyQueries } from '../../../src/commands/init/ready-queries.ts';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { checkQueryFile } from '../../../src/language/gaql/query-file.ts';
import { formatQuery } from '../../../src/language/gaql/syntax/format-query.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { notThere } from '../../../src/sandbox/ads/read-query.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { NOON } from '../../support/world.ts';
import { type ProgramResult, runInProcess } from '../run-in-process.ts';

const READY = readyQueries();
const NAMES = READY.map(({ name }) => name);
const FIRST = ['campaign.sql', 'campaign_budget.sql', 'campaign_spend.sql', 'keyword_stats.sql'];
/** These take at most so many rows, and their table says so. */
const LIMITED = ['budget_changes', 'top_campaigns'];

async function init(args: readonly string[], folder = tempDir()): Promise<ProgramResult & { readonly folder: string }> {
  return { ...(await runInProcess(['init', '--yes', ...args], { folder, width: 100 })), folder };
}

const queriesIn = (folder: string) =>
  readdirSync(join(folder, 'queries'))
    .filter((name) => !name.endsWith('.tests.yaml'))
    .sort();

describe('the ready-made queries', () => {
  it('are at least 25, and include those that rules and the report need', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(25);
    expect(NAMES).toEqual(expect.arrayContaining(['campaign', 'campaign_budget', 'campaign_spend', 'keyword_stats']));
    expect(NAMES).not.toContain('all');
  });

  it('are read by no run of the clone, except those in queries/ itself', async () => {
    const { stdout } = await runInProcess(['check', '--queries', 'queries', '--format', 'json'], {
      folder: process.cwd(),
    });
    expect(stdout).toContain('queries/campaign.sql');
    expect(stdout).not.toContain('library');
  });

  it.each(READY)(
    '$name passes check, the sandbox has all its fields, and its first line says what it answers',
    ({ name, answers, text }) => {
      const context = { catalogue: loadCatalogue('v25'), today: civilDate('2026-11-20') };
      const { query, diagnostics } = checkQueryFile(name, text, context);
      expect(diagnostics.map(({ code }) => code)).toEqual(LIMITED.includes(name) ? ['LIMITED_TABLE'] : []);
      expect(query && notThere(query.tree, false)).toBeUndefined();
      expect(query?.key).not.toEqual([]);
      expect(answers).toMatch(/^[A-Z].{10,}\.$/);
      expect(text).toBe(formatQuery(parseQuery(text)));
    },
  );

  it('of the library begin with one line of comment that fits a terminal beside the name', () => {
    for (const file of readdirSync('queries/library')) {
      expect(file).toMatch(/^[a-z_]{3,22}\.sql$/);
      const text = readFileSync(join('queries/library', file), 'utf8');
      expect(text).toMatch(/^-- .{10,51}\.\nSELECT\n/);
      expect(text.match(/--/g)).toHaveLength(1);
    }
  });

  it('are answered by the sandbox, all in one report, and each becomes a table', async () => {
    const { code, stderr, folder } = await init(['--query', 'all']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(queriesIn(folder)).toEqual(NAMES.map((name) => `${name}.sql`));
    expect(await runInProcess(['check'], { folder })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\b37 files, 0 errors, 0 warnings, 2 notes\.\n$/),
    });
    const rule = join(folder, 'rules', 'cut-without-conversions.yaml');
    writeFileSync(rule, readFileSync(rule, 'utf8').replace(/^mode: propose/m, 'mode: apply'));
    // Fewer days of the largest tables, for speed.
    for (const name of ['ad_results', 'campaign_hours', 'keyword_results', 'search_terms']) {
      const path = join(folder, 'queries', `${name}.sql`);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/LAST_\d+_DAYS/, 'LAST_7_DAYS'));
    }
    const run = (args: readonly string[]) => runInProcess(args, { folder, env: { PACEKEEPER_NOW: NOON } });

    const report = await run(['report', '--customer', '4081725530']);
    expect(report.code).toBe(0);
    expect(report.stdout).toContain('1 budget changed');
    // This account has no Performance Max campaign, no removed campaign and no budget that is too small. The budget was
    // changed after the read.
    const others = ['asset_groups', 'budget_changes', 'budget_recommendations', 'performance_max', 'removed_campaigns'];
    expect(emptyTables(folder)).toEqual(others);

    const more = await run(['extract', '--query', ...others]);
    expect(more.code).toBe(0);
    expect(emptyTables(folder)).toEqual([]);
  });
});

/** Throws if a query has no table in the published file. */
function emptyTables(folder: string): string[] {
  const file = new Database(join(folder, 'data', 'warehouse.sqlite'), { readonly: true });
  try {
    return NAMES.filter((name) => file.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() === undefined);
  } finally {
    file.close();
  }
}

describe('init --list-queries', () => {
  it.each([80, 140])('shows name and line of each in %i columns, and writes nothing', async (columns) => {
    const folder = tempDir();
    const { code, stdout, stderr } = await runInProcess(['init', '--list-queries'], { folder, columns });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ {2}Name +Answers$/);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
    expect(lines.filter((line) => /^ {2}[a-z]/.test(line)).map((line) => line.trim().split(' ')[0])).toEqual(NAMES);
    // Only shipped queries with a long first line need a second one, in 80 columns.
    expect(lines.length - 1 - NAMES.length).toBe(columns === 80 ? 3 : 0);
    expect(stdout).toMatch(/^ {2}search_terms +What people searched for, per day, 14 days\.$/m);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is named in the help of init', async () => {
    const { stdout } = await runInProcess(['init', '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('--list-queries list the ready-made queries, and write nothing');
  });
});

describe('init --query', () => {
  it('writes the named queries beside the first four', async () => {
    const { code, stdout, folder } = await init(['--query', 'search_terms', 'countries', '--query', 'campaign']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^wrote {2}queries\/search_terms\.sql +a query to read$/m);
    expect(queriesIn(folder)).toEqual([...FIRST, 'countries.sql', 'search_terms.sql'].sort());
    expect(readFileSync(join(folder, 'queries', 'countries.sql'), 'utf8')).toBe(
      readFileSync('queries/library/countries.sql', 'utf8'),
    );
    expect(await runInProcess(['check'], { folder })).toMatchObject({ code: 0, stderr: '' });
  });

  it('adds to other people’s queries and replaces none, whatever the ending', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'queries'));
    writeFileSync(join(folder, 'queries', 'ads.sql'), 'mine');
    writeFileSync(join(folder, 'queries', 'countries.gaql'), 'mine too');
    const { code, stdout } = await init(['--query', 'ads', 'countries', 'ad_groups'], folder);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^kept {3}queries\/ads\.sql +already exists$/m);
    expect(stdout).toMatch(/^kept {3}queries\/countries\.gaql +already exists$/m);
    expect(queriesIn(folder)).toEqual(['ad_groups.sql', 'ads.sql', 'countries.gaql']);
    expect(readFileSync(join(folder, 'queries', 'ads.sql'), 'utf8')).toBe('mine');
    expect(readFileSync(join(folder, 'queries', 'countries.gaql'), 'utf8')).toBe('mine too');
  });

  it('names every unknown query with the nearest one, and writes nothing', async () => {
    const { code, stdout, stderr, folder } = await init(['--query', 'serch_terms', 'ads', 'qqq', 'all']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatchInlineSnapshot(`
      "error: Unknown ready-made queries: serch_terms, qqq.
      next step: serch_terms: Did you mean search_terms? qqq: no similar name. For all names, run pacekeeper init --list-queries. Nothing was written.
      "
    `);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    '../campaign',
    'library/ads',
    'ads.sql',
    '/etc/passwd',
    'ADS',
    ' ads',
    '',
    '.',
    '__proto__',
    'all.sql',
    'ads\u0000',
    'a\nnext step: rm\u001b[2J\u202e',
    'a'.repeat(200),
  ])('refuses the name %j', async (name) => {
    const { code, stdout, stderr, folder } = await init(['--query', name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: Unknown ready-made query: .*\nnext step: .*\n$/);
    expect(stderr).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(readdirSync(folder)).toEqual([]);
  });
});
