import { expect, it } from 'vitest';
import { describePostgres, freshDatabase, onDatabase } from '../support/postgres-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { MORNING, scheduleInProcess, writeConfig } from './schedule-in-process.ts';

describePostgres('two schedules on one database', () => {
  it('start a due job once, and again on the machine that began it', async () => {
    const env = { PACEKEEPER_STORE_URL: await freshDatabase() };
    const one = tempDir();
    const other = tempDir();
    const at = async (folder: string, now: string, exitCode = 0) => {
      const run = scheduleInProcess(folder, now, { once: true, exitCode, env });
      return [await run.ended, run.jobs.map(({ args }) => args[0]), run.stderr()];
    };
    for (const folder of [one, other]) {
      writeConfig(folder, MORNING);
      expect(await at(folder, '2026-11-20T05:29:00Z')).toEqual([0, [], '']);
    }
    const runs = await Promise.all([one, other].map((folder) => at(folder, '2026-11-20T05:30:00Z')));
    expect(runs.flatMap(([, jobs]) => jobs)).toEqual(['report']);
    expect(runs.map(([, , log]) => log).join('')).toContain(
      'morning was not run at 2026-11-20T05:30:00Z: the schedule of another machine has it.',
    );
    // Without records, each day is missing, so a late schedule runs.
    expect((await at(other, '2026-11-21T08:00:00Z'))[1]).toEqual(['report']);
    expect((await at(one, '2026-11-21T08:00:00Z'))[1]).toEqual([]);
    const claimed = await onDatabase(env.PACEKEEPER_STORE_URL, 'SELECT job, due_at FROM pacekeeper.claimed_tick');
    expect(claimed).toEqual([
      ['morning', '2026-11-20T05:30:00Z'],
      ['morning', '2026-11-21T05:30:00Z'],
    ]);
  });
});
