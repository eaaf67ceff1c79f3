import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { type ProgramResult, runInProcess } from '../run-in-process.ts';

const env = { PACEKEEPER_NOW: '2026-03-01T12:00:00Z' };

/** Without the folder, whose name is another one each time. */
const stable = ({ stdout }: ProgramResult, folder: string) =>
  stdout.replace(/Data: [\s\S]*?data\n/, 'Data: FOLDER\n').replaceAll(folder, 'FOLDER');

describe('status', () => {
  it('shows how to start the first run, and the current status afterwards', async () => {
    const folder = tempDir();
    await runInProcess(['init', '--time-zone', 'Europe/Berlin'], { folder, env });
    const before = await runInProcess(['status'], { folder, env, columns: 80 });
    expect(existsSync(join(folder, 'data'))).toBe(false);
    expect(stable(before, folder)).toMatchInlineSnapshot(`
      "pacekeeper status · sandbox (seed 1) · mode apply
      Data: FOLDER
      Last report: none yet. Run pacekeeper report.
      Budgets: 0 changes under way, 0 awaiting approval
      Alerts: none waiting
      Schedule: not running. Run pacekeeper schedule.

      Schedule
        Job             Starts  When                        Next
        morning-report  report  30 5 * * * (Europe/Berlin)  2026-03-02 04:30 UTC
      "
    `);
    await runInProcess(['extract', '--query', 'keyword_stats', '--customer', '4081725530'], { folder, env });
    const after = await runInProcess(['status'], { folder, env, columns: 80 });
    expect(after).toMatchObject({ code: 0, stderr: '' });
    expect(stable(after, folder)).toMatchInlineSnapshot(`
      "pacekeeper status · sandbox (seed 1) · mode apply
      Data: FOLDER
      Last extract: done, run 1, 2026-03-01 12:00 UTC
      Budgets: 0 changes under way, 0 awaiting approval
      Alerts: none waiting
      Schedule: not running. Run pacekeeper schedule.

      Runs
        Run  Command  Outcome  Started               Accounts    Rows  Changes
        1    extract  done     2026-03-01 12:00 UTC         1  19,110        0
        Left out: Messages. A wider terminal or --format json shows them.

      Coverage
        Table          Complete until  Accounts  Never read  Missing  Provisional
        keyword_stats  2026-02-28             1           0        0            0

      Schedule
        Job             Starts  When                        Next
        morning-report  report  30 5 * * * (Europe/Berlin)  2026-03-02 04:30 UTC
      "
    `);
    const { stdout } = await runInProcess(['status', '--format', 'json'], { folder, env });
    expect(JSON.parse(stdout)).toMatchObject({
      target: 'sandbox (seed 1)',
      mode: 'apply',
      data_folder: join(folder, 'data'),
      runs: [{ command: 'extract', state: 'done', accounts: 1 }],
      coverage: [{ query: 'keyword_stats', settled_until: '2026-02-28', missing: 0 }],
      budgets: { changes_under_way: 0, proposals: [], frozen: null },
      alerts: { waiting: 0, may_be_out: 0 },
      schedule: { holder: null, jobs: [{ name: 'morning-report', next: '2026-03-02T04:30:00Z', last: null }] },
    });
  });

  it('names a table without a query file, and the command to drop it', async () => {
    const folder = tempDir();
    await runInProcess(['init'], { folder, env });
    writeFileSync(join(folder, 'queries', 'names.sql'), 'SELECT campaign.id, campaign.name FROM campaign');
    await runInProcess(['extract', '--query', 'names', '--customer', '4081725530'], { folder, env });
    expect((await runInProcess(['status'], { folder, env })).stdout).not.toContain('no query file');
    rmSync(join(folder, 'queries', 'names.sql'));
    const { stdout } = await runInProcess(['status'], { folder, env, columns: 80 });
    expect(stdout).toContain('Table names has no query file. To drop it: pacekeeper warehouse rebuild names\n');
    const json = await runInProcess(['status', '--format', 'json'], { folder, env });
    expect(JSON.parse(json.stdout).orphaned_tables).toEqual(['names']);
    expect((await runInProcess(['warehouse', 'rebuild', 'names'], { folder, env })).code).toBe(0);
    expect((await runInProcess(['status'], { folder, env })).stdout).not.toContain('no query file');
  });

  it('exits with 2 for invalid settings', async () => {
    const broken = tempDir();
    writeFileSync(join(broken, 'pacekeeper.yaml'), 'schedule: [{ nam: x }]');
    const { code, stderr } = await runInProcess(['status'], { folder: broken });
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean name?');
  });
});
