import { setMaxListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exploreChildSource } from '../../../src/commands/serve/explore-child-source.ts';
import { TooManyQueries } from '../../../src/dashboard/explore/explore-source.ts';
import { freshStore } from '../../support/both-engines.ts';
import { describePostgres, onDatabase, readerOf } from '../../support/postgres-server.ts';
import { smallPublishedFile } from '../../support/small-published-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

const BUILT = new URL('../../../dist/explore-process.js', import.meta.url);
const ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)';
const stays = new AbortController().signal;
setMaxListeners(0, stays);

function sourceOf(limits: Parameters<typeof exploreChildSource>[2] = {}) {
  // Only the test of the time limit depends on how fast this machine is.
  const source = exploreChildSource(BUILT, { path: smallPublishedFile(tempDir()) }, { timeMs: 600_000, ...limits });
  onTestFinished(() => source.close());
  return source;
}

async function fileOf(source: ReturnType<typeof sourceOf>, sql: string, format: 'csv' | 'xlsx'): Promise<Buffer> {
  const found = await source.download(sql, format, stays);
  if ('kind' in found) return Buffer.from(found.problems.join('\n'));
  const chunks: Uint8Array[] = [];
  for await (const chunk of found) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const csvOf = async (source: ReturnType<typeof sourceOf>, sql: string) =>
  (await fileOf(source, sql, 'csv')).toString('utf8');

describe('the process that runs a query', () => {
  it('answers with exact integers, binary data as its size, and long texts cut', async () => {
    const sql = "SELECT cost_micros, 1.5 AS r, x'00ff' AS b, NULL AS n, hex(zeroblob(2000)) AS t FROM spend LIMIT 1";
    expect(await sourceOf().look(sql, stays)).toEqual({
      kind: 'rows',
      columns: ['cost_micros', 'r', 'b', 'n', 't'],
      rows: [[{ integer: '9007199254740993' }, 1.5, { bytes: 2 }, null, `${'0'.repeat(1000)}…`]],
      count: 1,
      isWhole: true,
    });
  });

  it('stops after 100,000 of ten million rows, and sends 1,000 of them to the page', async () => {
    const found = await sourceOf().look(`${ENDLESS} SELECT x FROM n LIMIT 10000000`, stays);
    expect(found).toMatchObject({ kind: 'rows', count: 100_000, isWhole: false });
    expect(found.kind === 'rows' && found.rows).toHaveLength(1000);
  });

  it('is killed when its time is over', async () => {
    const found = await sourceOf({ timeMs: 300 }).look(`${ENDLESS} SELECT count(*) FROM n`, stays);
    expect(found).toMatchObject({ kind: 'refused', problems: [expect.stringMatching(/more than 0\.3 seconds/)] });
  });

  it('is killed when it needs too much memory', async () => {
    const source = sourceOf({ memoryBytesMax: 1024 * 1024 });
    const found = await source.look(`${ENDLESS} SELECT count(*) FROM n`, stays);
    expect(found).toMatchObject({ kind: 'refused', problems: [expect.stringMatching(/more than 1 MiB of memory/)] });
  });

  it('refuses a value of a billion bytes', async () => {
    const found = await sourceOf().look('SELECT zeroblob(1000000000) FROM spend', stays);
    expect(found.kind === 'refused' || found.count === 0).toBe(true);
  });

  it('is killed when the visitor leaves, and gives its place to the next query', async () => {
    const source = sourceOf();
    const visit = new AbortController();
    const endless = [1, 2].map(() => source.look(`${ENDLESS} SELECT count(*) FROM n`, visit.signal));
    const waiting = Array.from({ length: 20 }, () => source.look('SELECT 1 AS x', visit.signal));
    await expect(source.look('SELECT 1', stays)).rejects.toThrow(TooManyQueries);
    visit.abort();
    for (const one of await Promise.all([...endless, ...waiting])) expect(one).toMatchObject({ kind: 'refused' });
    expect(await source.look('SELECT 1 AS x', stays)).toMatchObject({ rows: [[{ integer: '1' }]] });
  });

  it('gives its place to the next query although nobody reads the rest of its answer', async () => {
    const source = sourceOf();
    const visit = new AbortController();
    const wide = `${ENDLESS} SELECT hex(zeroblob(5000)) AS t FROM n`;
    const unread = await Promise.all([1, 2].map(() => source.download(wide, 'csv', visit.signal)));
    expect(unread.some((found) => 'kind' in found)).toBe(false);
    visit.abort();
    for (let times = 0; times < 3; times += 1) await csvOf(source, 'SELECT x FROM nowhere');
    expect(await source.look('SELECT 1 AS x', stays)).toMatchObject({ rows: [[{ integer: '1' }]] });
  });

  it('knows no variables of the environment', async () => {
    const path = join(tempDir(), 'program.mjs');
    const answer = "{ kind: 'refused', problems: [JSON.stringify([process.env, process.argv.length])] }";
    writeFileSync(path, `process.stdout.write(JSON.stringify(${answer}));`);
    const source = exploreChildSource(pathToFileURL(path), { path: 'no file' });
    expect(await source.look('SELECT 1', stays)).toEqual({ kind: 'refused', problems: ['[{},2]'] });
  });
});

describe('the workbook of a query', () => {
  it('has exact numbers, dates, binary data as its size, and formulas only as text', async () => {
    const sql = `SELECT campaign_name, cost_micros, 1.5 AS r, x'00ff' AS b, NULL AS n, '=1+1' AS f FROM spend ORDER BY date LIMIT 1`;
    const parts = unzipSync(await fileOf(sourceOf(), sql, 'xlsx'));
    const sheet = strFromU8(parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    const cells = Array.from(
      sheet.matchAll(/<c r="([A-Z])2"[^>]*>(?:<is><t[^>]*>|<v>)([^<]*)</g),
      ([, column, value]) => [column, value],
    );
    expect(cells).toEqual([
      ['A', '=HYPERLINK(&quot;http://x&quot;)'],
      ['B', '9007199254740993'],
      ['C', '1.5'],
      ['D', '(2 bytes)'],
      ['F', '=1+1'],
    ]);
    expect(sheet).not.toContain('<f>');
  });

  it('is no file if the query is wrong, and breaks off if a later row fails', async () => {
    expect((await fileOf(sourceOf(), 'SELECT x FROM nowhere', 'xlsx')).toString()).toContain('no such table: nowhere');
    const late = `${ENDLESS} SELECT CASE WHEN x < 5000 THEN x ELSE abs(-9223372036854775807 - 1) END AS x FROM n`;
    await expect(fileOf(sourceOf(), late, 'xlsx')).rejects.toThrow('without a whole answer');
  });
});

describe('the CSV file of a query', () => {
  it('quotes texts, and no spreadsheet runs them', async () => {
    const sql = `SELECT campaign_name, cost_micros AS "a,""b", 'x' || char(10) || '-1;=2' AS t FROM spend ORDER BY date LIMIT 1`;
    expect(await csvOf(sourceOf(), sql)).toBe(
      '"campaign_name","a,""b","t"\r\n"\'=HYPERLINK(""http://x"")",9007199254740993,"x\n\'-1;\'=2"\r\n',
    );
  });

  it('waits for a slow reader, while another query runs to its end', async () => {
    const source = sourceOf();
    const found = await source.download(
      `${ENDLESS} SELECT x, hex(zeroblob(100)) AS t FROM n LIMIT 20000`,
      'csv',
      stays,
    );
    if ('kind' in found) throw new Error(found.problems.join());
    let lines = 0;
    let chunks = 0;
    for await (const chunk of found) {
      lines += Buffer.from(chunk).toString('utf8').split('\n').length - 1;
      chunks += 1;
      if (chunks === 1) expect(await source.look('SELECT 1 AS x', stays)).toMatchObject({ kind: 'rows', count: 1 });
    }
    expect(chunks).toBeGreaterThan(1);
    expect(lines).toBe(20_001);
  });

  it('has at most 100,000 rows and 64 MB', async () => {
    const lines = (await csvOf(sourceOf(), `${ENDLESS} SELECT x FROM n`)).split('\r\n');
    expect(lines).toHaveLength(100_002);
    const wide = await csvOf(sourceOf({ bytesMax: 5000 }), `${ENDLESS} SELECT hex(zeroblob(500)) AS t FROM n`);
    expect(wide.split('\r\n')).toHaveLength(7);
  });

  it('is refused when the whole download takes too long', async () => {
    expect(await csvOf(sourceOf({ downloadMs: 1 }), 'SELECT 1')).toContain('The download took too long.');
  });

  it('fails when the query fails after its first rows', async () => {
    const number = 'CASE WHEN x = 5000 THEN -9223372036854775807 - 1 ELSE x END';
    const late = `SELECT abs(${number}) AS y FROM (${ENDLESS} SELECT x FROM n LIMIT 9000)`;
    await expect(csvOf(sourceOf(), late)).rejects.toThrow('without a whole answer');
  });

  it('is refused before its first row with the words of SQLite', async () => {
    expect(await csvOf(sourceOf(), 'SELECT x FROM nowhere')).toBe(
      'Line 1, column 15: SQLite refuses the query: no such table: nowhere.',
    );
  });
});

describePostgres('a query of Explore on PostgreSQL', () => {
  it('ends on the server, too, when the visitor leaves', async () => {
    const { url, warehouse } = await freshStore();
    await warehouse.publish({ path: '', nowMs: Date.parse('2026-11-20T12:00:00Z'), describe: () => undefined });
    const source = exploreChildSource(BUILT, { url: await readerOf(url) }, { timeMs: 600_000 });
    onTestFinished(() => source.close());
    const running = async () =>
      (
        await onDatabase(
          url,
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%explored%' AND pid <> pg_backend_pid()",
        )
      ).length;
    const visit = new AbortController();
    const left = source.look('SELECT pg_sleep(600)', visit.signal);
    await expect.poll(running).toBe(1);
    visit.abort();
    expect(await left).toMatchObject({ kind: 'refused' });
    await expect.poll(running).toBe(0);
  });
});
