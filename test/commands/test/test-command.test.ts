import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProduct } from '../../support/product.ts';
import { TRIM_QUERIES, TRIMMED } from '../../support/trim-rule.ts';

it('pacekeeper test shows what does not hold, also for a table that was never read, and records nothing', async () => {
  const product = await createProduct({ mode: 'propose' });
  expect((await product.run(['report'])).code).toBe(0);
  const write = (file: string, text: string) => writeFileSync(join(product.folder, 'queries', file), text);
  write(
    'stats.tests.yaml',
    'tests: [{ not_null: [clicks] }, { range: { column: clicks, max: -1 }, severity: warn }]\n',
  );
  const holds = await product.json(['test']);
  expect([holds.code, holds.value]).toMatchObject([
    0,
    [
      { table: 'stats', name: 'not_null_clicks', state: 'passed' },
      { name: 'range_clicks', state: 'failed', customer_id: TRIMMED.customerId },
    ],
  ]);
  write('late.sql', TRIM_QUERIES['stats.sql']);
  write('late.tests.yaml', 'tests: [{ not_null: [clicks] }]\n');
  const unread = await product.json(['test']);
  const unknown = { table: 'late', state: 'unknown', customer_id: null, reason: 'late was never read' };
  expect([unread.code, unread.value]).toMatchObject([1, expect.arrayContaining([expect.objectContaining(unknown)])]);
  expect(product.rows('SELECT * FROM data_test')).toEqual([]);
});
