import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { saveModel } from '../../../src/dashboard/explore/save-model.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { NOON } from '../../support/world.ts';

function folderOf() {
  const folder = tempDir();
  mkdirSync(join(folder, 'queries'));
  mkdirSync(join(folder, 'rules'));
  const query =
    'SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE segments.date DURING LAST_7_DAYS';
  writeFileSync(join(folder, 'queries', 'campaign_clicks.sql'), query);
  const deps = { settings: settingsFrom(folder, {}, {}, ''), clock: fakeClock(NOON) };
  const models = join(folder, 'models');
  return {
    models,
    save: (name: string, sql: string) => saveModel(deps, { name, sql, by: 'anna' }),
    text: (name: string) => readFileSync(join(models, name), 'utf8'),
  };
}

const GOOD = 'SELECT campaign_id, clicks\nFROM campaign_clicks';

describe('a saved model', () => {
  it('begins with the name of the token and the time', async () => {
    const { models, save, text } = folderOf();
    expect(await save('best', GOOD)).toEqual({ kind: 'saved' });
    expect(text('best.sql')).toBe(`-- Saved by anna at ${NOON}.\n${GOOD}\n`);
    expect(readdirSync(models)).toEqual(['best.sql']);
  });

  it('never replaces a file', async () => {
    const { models, save, text } = folderOf();
    mkdirSync(models);
    writeFileSync(join(models, 'best.sql'), 'SELECT campaign_id FROM campaign_clicks');
    expect(await save('best', GOOD)).toMatchObject({
      kind: 'refused',
      problems: [expect.stringMatching(/exists already/)],
    });
    expect(text('best.sql')).toBe('SELECT campaign_id FROM campaign_clicks');
    expect(readdirSync(models)).toEqual(['best.sql']);
  });

  it.each([
    [
      'an unknown column, with its line and column',
      'm',
      'SELECT campaign_id,\n  clickz FROM campaign_clicks',
      /^Line 2, column 3: .*clickz/,
    ],
    ['a table that models do not see', 'm', 'SELECT id FROM budget_change', /^Line 1, column 16: .*budget_change/],
    ['the name of a query', 'campaign_clicks', GOOD, /already fills the table/],
    ['a reserved name', 'account', GOOD, /account/],
  ])('is not written with %s', async (_sentence, name, sql, words) => {
    const { models, save } = folderOf();
    expect(await save(name, sql)).toMatchObject({ kind: 'refused', problems: [expect.stringMatching(words)] });
    expect(readdirSync(models)).toEqual([]);
  });

  it('cannot have a name that leaves its folder', async () => {
    await expect(folderOf().save('../x', GOOD)).rejects.toThrow();
  });

  it('is refused with a plain reason when the folder cannot be written', async () => {
    const { models, save } = folderOf();
    writeFileSync(models, 'a file');
    chmodSync(models, 0o400);
    expect(await save('best', GOOD)).toMatchObject({
      kind: 'refused',
      problems: [expect.stringMatching(/^Writing to the folder of models failed: (EEXIST|ENOTDIR)/)],
    });
  });
});
