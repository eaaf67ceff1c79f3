import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import type { LoadJob } from '../extraction/response.ts';
import type { Measurement } from '../measurement.ts';
import { readJob } from '../measurement.ts';
import { childPath } from '../processes.ts';
import { benchQuery, CUSTOMER } from '../query.ts';
import { checkTotals } from '../totals.ts';
import { PEER_TABLE } from './peer-table.ts';

/**
 * `gaarf-child.js JOB`: gaarf's command writes a CSV file, which the command sqlite3 imports into the same table. Both
 * processes are measured from start to end.
 */
const { url, database, expected, gaarf = '' } = readJob<LoadJob & { readonly gaarf?: string }>();
const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-bench-gaarf-'));
try {
  process.stdout.write(JSON.stringify(load()));
} finally {
  rmSync(folder, { recursive: true });
}

function load(): Measurement {
  const inFolder = (name: string) => join(folder, name);
  writeFileSync(inFolder('keyword_stats.sql'), benchQuery().text);
  const secrets = ['developer_token', 'client_id', 'client_secret', 'refresh_token'].map((name) => `${name}: bench\n`);
  writeFileSync(inFolder('google-ads.yaml'), secrets.join(''));
  const startedMs = performance.now();
  run(
    process.execPath,
    [
      '--import',
      pathToFileURL(childPath('accounts/note-memory')).href,
      join(gaarf, 'gaarf'),
      'keyword_stats.sql',
      `--account=${CUSTOMER}`,
      '--disable-account-expansion',
      '--ads-config=google-ads.yaml',
      '--loglevel=error',
      '--output=csv',
      '--csv.output-path=.',
    ],
    // It calls its provider's address and no other, so it is given a proxy.
    { HTTPS_PROXY: url, BENCH_MEMORY: inFolder('memory') },
  );
  const statements = [
    PEER_TABLE,
    'PRAGMA journal_mode = WAL',
    '.import --csv keyword_stats.csv came\nINSERT INTO keyword_stats SELECT ' +
      `${CUSTOMER}, segments_date, ad_group_id, ad_group_criterion_criterion_id, campaign_id, campaign_name,
       campaign_advertising_channel_type, ad_group_name, ad_group_status, ad_group_criterion_status,
       ad_group_criterion_keyword_text, ad_group_criterion_keyword_match_type, metrics_impressions, metrics_clicks,
       metrics_cost_micros FROM came`,
    'DROP TABLE came',
  ];
  run('sqlite3', [database], {}, statements.map((one) => `${one};\n`).join(''));
  const seconds = (performance.now() - startedMs) / 1_000;
  const opened = new Database(database, { readonly: true });
  checkTotals(opened, 'keyword_stats', expected);
  opened.close();
  return { seconds, peakMiB: Number(readFileSync(inFolder('memory'), 'utf8')) / 1024 };
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>, input = ''): void {
  const { status, signal, error } = spawnSync(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    input,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program}: found ${signal ?? `exit status ${status}`}, expected 0.`);
}
