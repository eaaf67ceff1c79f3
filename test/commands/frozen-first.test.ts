import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { statusPage } from '../../src/dashboard/status/status-page.ts';
import { fakeClock } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { runInProcess } from './run-in-process.ts';

const NOW = '2026-03-01T12:00:00Z';
/** One account is enough. */
const ADS_CUSTOMER_IDS = '4081725530';
const FIRST =
  /^No budget is changed: frozen by anna since 2026-03-01\s+12:00\s+UTC: a sale\. Run\s+pacekeeper\s+unfreeze\s+to\s+allow\s+changes\s+again\.\n/;

it('while budgets are frozen, every output starts with the freeze, and the mode shows it', async () => {
  const folder = tempDir();
  const run = (...args: string[]) =>
    runInProcess(args, {
      folder,
      columns: 90,
      env: { PACEKEEPER_NOW: NOW, PACEKEEPER_ACTOR: 'anna', ADS_CUSTOMER_IDS },
    });
  await run('init', '--time-zone', 'Europe/Berlin');
  await run('extract');
  const [, rule = ''] = /^ {2}(\S+) +campaign/m.exec((await run('rules', 'list')).stdout) ?? [];
  await run('freeze', '--by', 'anna', '--why', 'a sale');

  const frozen: [words: string, args: string[]][] = [
    ['mode apply (frozen)', ['status']],
    ['No changes await approval.', ['budgets', 'list']],
    ['    by anna\n    a sale', ['budgets', 'history']],
    ['2 rules.', ['rules', 'list']],
    ['mode apply (frozen)', ['pacing']],
    ['mode apply (frozen)', ['rules', 'evaluate']],
    [`rule ${rule}@`, ['rules', 'explain', rule]],
    ['mode apply (frozen)', ['report', '--no-extract', '--dry-run']],
  ];
  for (const [words, args] of frozen) {
    const { stdout } = await run(...args);
    expect(stdout, args.join(' ')).toMatch(FIRST);
    expect(stdout).toContain(words);
  }
  const json = JSON.parse((await run('report', '--no-extract', '--dry-run', '--format', 'json')).stdout);
  expect(json.run.mode).toBe('apply');
  expect(json.notes[0]).toMatch(
    /^No budget is changed: frozen by anna since \S+ \S+ UTC: a sale\. Run pacekeeper unfreeze to allow changes again\.$/,
  );

  const banner =
    /<main id="content">\n<p class="notice serious"><strong>No budget is changed: frozen by anna since \S+ \S+ UTC: a sale\./;
  const page = await runInProcess(['report', '--no-extract', '--dry-run', '--format', 'html'], {
    folder,
    env: { PACEKEEPER_NOW: NOW, ADS_CUSTOMER_IDS },
  });
  const pages = [page.stdout];
  const deps = { settings: await readSettings(folder, {}, {}), clock: fakeClock(NOW) };
  for (const path of ['/', '/inbox', '/runs', '/runs/1', '/coverage', '/budgets', '/alerts']) {
    pages.push((await statusPage(deps, { path, query: '', role: 'viewer' })).html);
  }
  for (const html of pages) expect(html).toMatch(banner);
  for (const html of pages.slice(0, 2)) expect(html).toContain('<li>Mode apply (frozen)</li>');

  await run('unfreeze', '--by', 'anna', '--why', 'over');
  expect((await run('status')).stdout).not.toMatch(/frozen\)|No budget is changed/);
});

it('a FREEZE file freezes before the first run, and status and rules show it', async () => {
  const folder = tempDir();
  const run = (...args: string[]) => runInProcess(args, { folder, columns: 90, env: { PACEKEEPER_NOW: NOW } });
  await run('init', '--time-zone', 'Europe/Berlin');
  mkdirSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'data', 'FREEZE'), 'a sale\n');
  const first =
    /^No budget is changed: frozen by the file FREEZE: a sale\. Run pacekeeper unfreeze to allow\s+changes again\.\n/;

  const status = (await run('status')).stdout;
  expect(status).toMatch(first);
  expect(status).toContain('mode apply (frozen)');
  expect(JSON.parse((await run('status', '--format', 'json')).stdout).budgets.frozen).toBe(
    'frozen by the file FREEZE: a sale',
  );
  expect((await run('rules', 'list')).stdout).toMatch(first);
});
