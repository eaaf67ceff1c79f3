import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { workerGroup } from '../../src/engine/queue/worker-group.ts';
import { tempDir } from '../support/temp-dir.ts';

const LIVE = {
  PACEKEEPER_TARGET: 'live',
  ADS_URL: 'https://ads.example.com',
  ADS_ACCESS_TOKEN: 'token',
  ADS_DEVELOPER_TOKEN: 'developer',
};

/** The group of a machine with these settings and files, in a folder of its own. */
async function groupOf(config = '', { env = LIVE, files = {}, isClockWrong = false } = {}): Promise<string> {
  const folder = tempDir();
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  const read = Object.entries(files).map(([name, source]) => ({ path: join(folder, name), source: String(source) }));
  const settings = await readSettings(folder, {}, env);
  return isClockWrong ? workerGroup(settings, read, true) : workerGroup(settings, read);
}

it.each([
  ['another concurrency', 'extract: { concurrency: 3 }', true],
  ['other webhooks', 'serve: { port: 9 }', true],
  ['other holidays', 'holidays: [2026-12-25]', false],
  ['another limit of an account', 'accounts: { 1000000001: { daily_total: 9 } }', false],
  ['another mode', 'automation: { mode: apply }', false],
  ['other values for queries', 'params: { market: DE }', false],
  ['other days until complete', 'extract: { settle_days: { stats: 3 } }', false],
])('a machine with %s (%s) shares work: %s', async (_, more, isShared) => {
  expect((await groupOf(more)) === (await groupOf())).toBe(isShared);
});

it('a machine shares work if it has read the same files, and no other', async () => {
  const files = { 'rules/one.yaml': 'when: clicks > 3', 'models/one.sql': 'SELECT 1 AS one' };
  const group = await groupOf('', { files });
  expect(group).toMatch(/^[0-9a-f]{16}$/);
  expect(await groupOf('', { files })).toBe(group);
  const model = { 'models/one.sql': files['models/one.sql'] };
  const others = [model, { 'rules/two.yaml': 'when: clicks > 3', ...model }, { ...files, 'rules/one.yaml': '' }];
  for (const other of others) expect(await groupOf('', { files: other })).not.toBe(group);
});

it('a machine with a wrong clock shares no work, nor does one with an embedded sandbox of its own', async () => {
  expect(await groupOf('', { isClockWrong: true })).not.toBe(await groupOf());
  const env = { ...LIVE, PACEKEEPER_TARGET: 'sandbox' };
  expect(await groupOf('', { env })).not.toBe(await groupOf('', { env }));
});
