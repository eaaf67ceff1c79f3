import { existsSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { freeze, unfreeze } from '../../../src/commands/freeze/run-freeze.ts';
import { freezeFile } from '../../../src/engine/budgets/kill-switch.ts';
import { freshStore, NOW_MS } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';

const BEN = { by: 'ben', why: 'prices are right' };

it('unfreeze records who lifted a freeze by file, and why', async () => {
  const state = await freshStore();
  const folder = tempDir();
  writeFileSync(freezeFile(folder), 'holidays');
  expect(await unfreeze(state, folder, BEN, NOW_MS)).toMatchObject({ frozen: false, recorded: true, file: false });
  expect(existsSync(freezeFile(folder))).toBe(false);
  const events = state.connection.prepare('SELECT kind, actor, detail FROM budget_event').all();
  expect(events).toEqual([{ kind: 'unfrozen', actor: 'ben', detail: '{"version":2,"why":"prices are right"}' }]);
});

it('unfreeze without a freeze writes nothing', async () => {
  const state = await freshStore();
  const folder = tempDir();
  expect(await unfreeze(state, folder, BEN, NOW_MS)).toMatchObject({
    recorded: false,
    sentences: ['Nothing was frozen.'],
  });
  expect(state.connection.prepare('SELECT id FROM budget_event').all()).toEqual([]);
});

it('a second freeze shows who froze first, and records the new reason', async () => {
  const state = await freshStore();
  const folder = tempDir();
  const first = await freeze(state, folder, { by: 'root', why: 'prices are wrong' }, NOW_MS);
  expect(first.sentences).toHaveLength(1);
  expect(await freeze(state, folder, BEN, NOW_MS + 1000)).toMatchObject({
    recorded: true,
    sentences: [
      expect.stringContaining('Frozen by ben'),
      'Already frozen since 2026-11-20 12:00 UTC by root: prices are wrong. The new reason replaces the old one. The audit trail keeps both.',
    ],
  });
});
