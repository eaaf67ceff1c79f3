import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onFiles } from '../../support/folder-store.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { byEngine } from '../../support/state.ts';
import { TRIM_RULES } from '../../support/trim-rule.ts';

/** A billion billion rows. */
const ENDLESS = `WITH ten (n) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)),
  thousand AS (SELECT a.n FROM ten AS a, ten AS b, ten AS c),
  everything AS (SELECT count(*) AS n FROM thousand AS a, thousand AS b, thousand AS c, thousand AS d, thousand AS e, thousand AS f)`;

const DAYS = `SELECT customer_id, date, campaign_id, sum(clicks) AS clicks, sum(cost_micros) AS cost_micros
FROM stats GROUP BY customer_id, date, campaign_id`;

const PUBLISHED = byEngine({ sqlite: 'warehouse.sqlite', postgres: 'The views in warehouse' });
const LEFT = byEngine({ sqlite: 'is unchanged', postgres: 'are unchanged' });

function putModel({ folder }: Product, name: string, text: string): string {
  const path = join(folder, 'models', `${name}.sql`);
  mkdirSync(join(folder, 'models'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const wordsOf = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) =>
  `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');

it.each([
  ['in its condition', DAYS.replace('GROUP BY', 'WHERE (SELECT n FROM everything) > 0 GROUP BY')],
  ['in one of its columns', DAYS.replace('sum(clicks)', 'CAST(sum(clicks) + (SELECT n FROM everything) AS BIGINT)')],
])('a model that never ends, %s, ends the report with 1, and what was published stays', async (_, text) => {
  const rules = { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('from: stats', 'from: days') };
  const product = await createProduct({ rules });
  const path = putModel(product, 'days', DAYS);
  expect((await product.run(['extract'])).code).toBe(0);
  const file = () => (onFiles ? readFileSync(join(product.folder, 'data', 'warehouse.sqlite')) : undefined);
  const before = file();
  putModel(product, 'days', `${ENDLESS} ${text}`);
  product.reconfigure('apply', 'models: { max_seconds: 1 }\n');
  expect((await product.run(['check'])).code).toBe(0);
  const ended = await product.run(['report']);
  const why = 'failed: it takes more than 1 s, the limit in models.max_seconds';
  expect(ended.code).toBe(1);
  expect(wordsOf(ended)).toContain(
    `${PUBLISHED} could not be published and ${LEFT}: the model days (${path}) ${why}. Correct the model or raise the limit, then run pacekeeper publish.`,
  );
  expect(wordsOf(ended)).toContain(
    `Not evaluated: trim, because the model days in ${join(product.folder, 'models')} ${why}.`,
  );
  expect(product.sends()).toEqual([]);
  expect(file()).toEqual(before);
  expect(product.rows('SELECT count(*) > 0 AS there FROM days', 'warehouse')).toEqual([{ there: 1 }]);
});

it('a model with too many rows is published when its limit is raised', async () => {
  const product = await createProduct({ rules: {}, config: 'models: { max_rows: 8 }\n' });
  const path = putModel(product, 'pairs', 'SELECT a.date AS day FROM stats AS a, stats AS b');
  const ended = await product.run(['extract']);
  expect(ended.code).toBe(1);
  expect(wordsOf(ended)).toContain(
    `the model pairs (${path}) failed: it has more than 8 rows, the limit in models.max_rows. Correct the model or raise the limit`,
  );
  product.reconfigure('apply', '');
  expect((await product.run(['publish'])).code).toBe(0);
  const counted = 'SELECT (SELECT count(*) FROM pairs) = (SELECT count(*) * count(*) FROM stats) AS whole';
  expect(product.rows(counted, 'warehouse')).toEqual([{ whole: 1 }]);
});
