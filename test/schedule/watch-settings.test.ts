import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchSettings } from '../../src/commands/schedule/watch-settings.ts';
import { fakeClock } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { MORNING, writeConfig } from './schedule-in-process.ts';

async function watched() {
  const folder = tempDir();
  writeConfig(folder, MORNING);
  let stderr = '';
  const stream = {
    write: (text: string) => {
      stderr += text;
    },
  };
  const output = { stdout: stream, stderr: stream, noColor: true };
  const process = { folder, env: { PACEKEEPER_LOG: 'text' }, output };
  const watch = await watchSettings({}, process, () => fakeClock('2026-11-20T05:00:00Z'));
  const look = async () => {
    stderr = '';
    await watch.look();
    return stderr.replaceAll('2026-11-20T05:00:00.000Z ', '');
  };
  return { folder, watch, look, names: () => watch.settings.schedule.map(({ name }) => name) };
}

describe('settings edited while the schedule runs', () => {
  it('are read when their text changes, and the changes are logged', async () => {
    const { folder, look, names } = await watched();
    expect(await look()).toBe('');
    writeConfig(folder, `${MORNING}  - { name: send, cron: "*/5 * * * *", job: deliver }\n`);
    expect([await look(), names()]).toEqual([
      'The settings were read again. Jobs: morning, send.\n',
      ['morning', 'send'],
    ]);
    writeConfig(folder, 'schedule:\n  - { name: send, cron: "*/9 * * * *", job: deliver }\n');
    expect(await look()).toBe('The settings were read again. Jobs: send.\n');
    expect(await look()).toBe('');
  });

  it('are reported once with every finding if broken, and the old ones stay', async () => {
    const { folder, look, names } = await watched();
    writeConfig(folder, MORNING.replace('30 5', '99 5'));
    const told = await look();
    expect(told).toContain('warning: The changed settings are invalid. The schedule is unchanged.');
    expect(told).toContain('schedule[0].cron has "99" as minute, expected 0 to 59');
    expect([await look(), names()]).toEqual(['', ['morning']]);
    writeConfig(folder, MORNING);
    expect(await look()).toBe('The settings were read again. Jobs: morning.\n');
  });

  it.each([
    ['emptied', (folder: string) => writeConfig(folder, 'target: sandbox\n')],
    ['deleted', (folder: string) => rmSync(join(folder, 'pacekeeper.yaml'))],
  ])('leave the schedule unchanged while %s', async (_, change) => {
    const { folder, look, names } = await watched();
    change(folder);
    expect(await look()).toContain('warning: The settings have no schedule now. The previous schedule stays');
    expect([await look(), names()]).toEqual(['', ['morning']]);
    writeConfig(folder, `${MORNING}  - { name: send, cron: "*/5 * * * *", job: deliver }\n`);
    expect([await look(), names()]).toEqual([
      'The settings were read again. Jobs: morning, send.\n',
      ['morning', 'send'],
    ]);
  });

  it('may come from .env, whose secrets stay out of the log', async () => {
    const { folder, watch, look } = await watched();
    writeFileSync(join(folder, '.env'), 'HEARTBEAT_URL=https://monitor.example/secret-key\n');
    await look();
    expect(watch.settings.heartbeat.url).toBe('https://monitor.example/secret-key');
    rmSync(join(folder, '.env'));
    await look();
    watch.log.info('as in https://monitor.example/secret-key');
    expect(await look()).toBe('');
    expect(watch.settings.heartbeat.url).toBeUndefined();
  });
});
