import { mkdirSync, writeFileSync } from 'node:fs';
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

/** The group of a machine with these settings, in a folder of its own. */
async function groupOf(config = '', { env = LIVE, rule = '', model = '' } = {}): Promise<string> {
  const folder = tempDir();
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  for (const name of ['queries', 'rules', 'models']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'rules/one.yaml'), rule);
  writeFileSync(join(folder, 'models/one.sql'), model);
  return workerGroup(await readSettings(folder, {}, env));
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

it('a machine with other rules or models shares no work, nor does one with an embedded sandbox of its own', async () => {
  expect(await groupOf('', { rule: 'when: clicks > 3' })).not.toBe(await groupOf());
  expect(await groupOf('', { model: 'SELECT 1 AS one' })).not.toBe(await groupOf());
  const env = { ...LIVE, PACEKEEPER_TARGET: 'sandbox' };
  expect(await groupOf('', { env })).not.toBe(await groupOf('', { env }));
});
