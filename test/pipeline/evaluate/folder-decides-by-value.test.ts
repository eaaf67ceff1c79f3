import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { folderDecidesByValue } from '../../../src/engine/folder-decides-by-value.ts';
import { inputsNow } from '../../../src/engine/load-inputs.ts';
import { BEST } from '../../support/best-target.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { NOON, writeFolder } from '../../support/world.ts';

const STATS = BEST.query.replace('metrics.clicks', 'metrics.clicks, metrics.conversions');
const MODEL = 'SELECT customer_id, date, campaign_id, clicks, cost_micros, conversions_value FROM stats';

/** An alert, because it needs no budget. */
const alert = (when: string, more = '') => `description: Tell.
from: stats
for: campaign
over: 7 days
when: ${when}
alert: { severity: warning, text: "{campaign_name}: {roas}" }
${more}`;

const splitBy = (split: string, first: string, second: string) => `description: Share.
currency: EUR
amount: 10000
split: ${split}
members:
  - { account: 4081725530, share: ${first} }
  - { account: 6193047821, share: ${second} }
mode: propose
`;

interface Files {
  readonly rules?: Readonly<Record<string, string>>;
  readonly models?: Readonly<Record<string, string>>;
  readonly targets?: Readonly<Record<string, string>>;
}

async function folderWith({ rules = {}, models = {}, targets = {} }: Files) {
  const folder = tempDir();
  writeFolder(folder, 'queries', { 'stats.sql': STATS });
  for (const [name, files] of Object.entries({ rules, models, targets })) writeFolder(folder, name, files);
  writeFileSync(join(folder, 'pacekeeper.yaml'), '');
  const settings = await readSettings(folder, {}, {});
  const nowMs = Date.parse(NOON);
  return {
    folder,
    decides: () => folderDecidesByValue(settings, nowMs),
    errors: async () =>
      (await inputsNow(settings, nowMs)).findings
        .flatMap(({ diagnostics }) => diagnostics)
        .filter(({ severity }) => severity === 'error'),
  };
}

describe('a folder does not decide by conversion values', () => {
  it.each<[string, Files]>([
    ['without rules', {}],
    ['if an alert only names them', { rules: { 'told.yaml': alert('clicks < 1') } }],
    ['if a rule decides by conversions', { rules: { 'conversions.yaml': alert('conversions < clicks') } }],
    ['if a target has fixed shares', { targets: { 'shares.yaml': splitBy('shares', '60%', '40%') } }],
  ])('%s', async (_, files) => {
    const { decides, errors } = await folderWith(files);
    expect(await errors()).toEqual([]);
    expect(await decides()).toBe(false);
  });

  it('if the rule has an error', async () => {
    const { decides, errors } = await folderWith({ rules: { 'wrong.yaml': alert('roas < wrong') } });
    expect(await errors()).toHaveLength(1);
    expect(await decides()).toBe(false);
  });

  it('once its rules are gone, or its queries', async () => {
    const { folder, decides } = await folderWith({ rules: { 'by.yaml': alert('roas < 1') } });
    expect(await decides()).toBe(true);
    rmSync(join(folder, 'queries', 'stats.sql'));
    expect(await decides()).toBe(false);
    writeFileSync(join(folder, 'queries', 'stats.sql'), STATS);
    expect(await decides()).toBe(true);
    rmSync(join(folder, 'rules'), { recursive: true });
    expect(await decides()).toBe(false);
  });
});

describe('a folder decides by conversion values', () => {
  it.each<[string, Files]>([
    ['in a condition', { rules: { 'by.yaml': alert('conversions_value / clicks < 1') } }],
    ['in a part of a condition', { rules: { 'by.yaml': alert('clicks > 3 AND NOT (roas BETWEEN 1 AND 2)') } }],
    ['in a minimum', { rules: { 'by.yaml': alert('clicks > 3', 'limits: { minimum: { conversions_value: 5 } }\n') } }],
    [
      'of a model',
      {
        models: { 'mine.sql': MODEL },
        rules: { 'by.yaml': alert('roas < 1').replace('from: stats', 'from: mine').replace('{campaign_name}: ', '') },
      },
    ],
    ['in a target that moves money by return', { targets: { 'best.yaml': BEST.target } }],
    [
      'in a target that is split by return',
      { targets: { 'split.yaml': splitBy('return', '20% to 60%', '30% to 80%') } },
    ],
  ])('%s', async (_, files) => {
    expect(await (await folderWith(files)).decides()).toBe(true);
  });
});
