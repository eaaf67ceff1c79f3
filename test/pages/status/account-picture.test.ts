import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { pagesOfThisThread } from '../../../src/dashboard/status/page-work.ts';
import { drawable, renderPng } from '../../../src/dashboard/status/render-png.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld } from '../../support/world.ts';

const HOSTILE = [
  `<script>alert(1)</script>]]>&lt;&a;<image href="file:///etc/passwd"/>`,
  'x'.repeat(300),
  'מבצע חורף שלג',
  '冬🏔\u0000\u001b[31m\u202e\ufffe\ud800',
];

it('draws an account of any name as a small PNG, and nothing for an unknown account', async () => {
  const world = await createWorld({ queries: TRIM_QUERIES, rules: TRIM_RULES });
  const { dataDir, clock } = world;
  const settings = await readSettings(world.folder, { dataDir }, {});
  const pages = pagesOfThisThread({ settings, clock });
  const account = customerId(TRIMMED.customerId);
  expect(await pages.picture(account)).toBeUndefined();
  await world.extract();
  expect(await pages.picture(customerId('1234567890'))).toBeUndefined();
  for (const name of HOSTILE) {
    const file = new Database(join(dataDir, 'warehouse.sqlite'));
    file.prepare('UPDATE account SET name = ? WHERE customer_id = ?').run(name, account);
    file.close();
    const png = Buffer.from((await pages.picture(account)) ?? []);
    expect([name, png.subarray(1, 4).toString()]).toEqual([name, 'PNG']);
    expect(png.length).toBeLessThan(200_000);
  }
});

it.each([
  ['Größe Ωmega Привет עברית العربية', 'Größe Ωmega Привет עברית العربية'],
  ['冬のキャンペーン', ''],
  ['Alpen 🏔', 'Alpen '],
])('draws only letters that its font has: %s', (name, drawn) => {
  expect(drawable(name)).toBe(drawn);
});

it('loads nothing from outside a drawing', async () => {
  const svg = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">${inner}</svg>`;
  const image =
    '<image href="/etc/hostname" width="40" height="40"/><image href="http://127.0.0.1:1/" width="9" height="9"/>';
  expect(await renderPng(svg(image))).toEqual(await renderPng(svg('')));
  await expect(renderPng('<svg')).rejects.toBeDefined();
});
