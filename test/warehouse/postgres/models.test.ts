import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { describePostgres, freshDatabase, onDatabase } from '../../support/postgres-server.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld } from '../../support/world.ts';

const ONE = { customers: [customerId(TRIMMED.customerId)] };

const DAYS = `SELECT customer_id, date, campaign_id, sum(clicks) AS clicks, sum(cost_micros) AS cost_micros
FROM stats GROUP BY customer_id, date, campaign_id`;

const ON_MODEL = { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('from: stats', 'from: days') };

async function changesWith(models: Readonly<Record<string, string>>, rules: Readonly<Record<string, string>>) {
  const url = await freshDatabase();
  const world = await createWorld({ queries: TRIM_QUERIES, rules, env: { PACEKEEPER_STORE_URL: url } });
  mkdirSync(join(world.folder, 'models'));
  for (const [name, text] of Object.entries(models)) writeFileSync(join(world.folder, 'models', name), text);
  const { failures } = await world.report(ONE);
  const changes = await onDatabase(
    url,
    'SELECT budget_id, from_micros, to_micros, reason FROM pacekeeper.budget_intent ORDER BY budget_id',
  );
  return { url, failures, changes, folder: world.folder };
}

describePostgres('a rule on a model', () => {
  it('changes what a rule on the table of its query would, with the reason, and the model is a view', async () => {
    const weeks = "SELECT date(date, 'weekday 0', '-6 days') AS week, sum(clicks) AS clicks FROM days GROUP BY week";
    const ofModel = await changesWith({ 'days.sql': DAYS, 'weeks.sql': weeks }, ON_MODEL);
    const ofQuery = await changesWith({}, TRIM_RULES);
    expect(ofModel.failures).toEqual([]);
    expect(ofQuery.changes).toHaveLength(1);
    expect(ofModel.changes).toEqual(ofQuery.changes);
    const same = 'SELECT (SELECT sum(clicks) FROM warehouse.weeks) = (SELECT sum(clicks) FROM warehouse.stats)';
    expect((await onDatabase(ofModel.url, same)).flat()).toEqual([true]);
  });

  it.each([
    [
      'overflows',
      DAYS.replace('sum(clicks)', 'CAST(max(clicks) * 0 + 9223372036854775807 + max(clicks) AS BIGINT)'),
      'bigint out of range',
    ],
    [
      'counts other days and accounts',
      `SELECT customer_id, date, campaign_id, cost_micros, CAST(sum(clicks) OVER (ORDER BY date) AS BIGINT) AS clicks FROM (${DAYS}\n) AS days`,
      'other days or accounts change its sums, but a rule needs each day of an account by itself',
    ],
  ])('that %s changes no budget', async (_, model, reason) => {
    const { failures, changes, folder } = await changesWith({ 'days.sql': model }, ON_MODEL);
    expect(failures).toContain(
      `Not evaluated: trim, because the model days in ${join(folder, 'models')} failed: ${reason}.`,
    );
    expect(changes).toEqual([]);
  });
});
