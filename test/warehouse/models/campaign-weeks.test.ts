import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { TRIMMED } from '../../support/trim-rule.ts';
import { createWorld } from '../../support/world.ts';

const QUERIES = { 'campaign_spend.sql': readFileSync('queries/campaign_spend.sql', 'utf8') };
const ONE = { customers: [customerId(TRIMMED.customerId)] };

it('campaign_weeks has the newest name of a campaign that is renamed daily, and its week is a date', async () => {
  const world = await createWorld({ now: '2026-11-19T12:00:00Z', rules: {}, queries: QUERIES });
  cpSync('models', join(world.folder, 'models'), { recursive: true });
  await world.report(ONE);
  const state = new Database(join(world.dataDir, 'state.sqlite'));
  state.exec("UPDATE campaign_spend SET campaign_name = campaign_name || ' on ' || date");
  state.close();
  world.clock.set('2026-11-20T12:00:00Z');
  await world.extract(ONE);
  const file = new Database(join(world.dataDir, 'warehouse.sqlite'), { readonly: true });
  onTestFinished(() => void file.close());
  const rows = (sql: string) => file.prepare(sql).raw().all();

  expect(rows("SELECT name, type FROM pragma_table_info('campaign_weeks')")).toEqual([
    ['customer_id', 'INTEGER'],
    ['campaign_id', 'INTEGER'],
    ['campaign_name', 'TEXT'],
    ['week', 'DATE'],
    ['clicks', 'INTEGER'],
    ['cost_micros', 'INTEGER'],
    ['currency', 'TEXT'],
    ['clicks_change', 'DOUBLE'],
    ['days', 'INTEGER'],
    ['cost', 'DECIMAL(18,6)'],
  ]);
  const own = 'SELECT customer_id, campaign_id, campaign_name, week, clicks, cost_micros FROM campaign_weeks';
  const expected = `SELECT customer_id, campaign_id,
      (SELECT campaign_name FROM campaign_spend AS n WHERE n.customer_id = s.customer_id AND n.campaign_id = s.campaign_id
        ORDER BY date DESC LIMIT 1),
      date(date, '-6 days', 'weekday 1') AS week, sum(clicks), sum(cost_micros) FROM campaign_spend AS s
    GROUP BY customer_id, campaign_id, week`;
  expect(rows(`${own} ORDER BY 1, 2, 4`)).toEqual(rows(`${expected} ORDER BY 1, 2, 4`));
  expect(rows(own).length).toBeGreaterThan(10);

  const days = (week: string, back: number) =>
    `(SELECT count(DISTINCT date) FROM campaign_spend AS a WHERE a.customer_id = w.customer_id
      AND a.date BETWEEN date(${week}, '-${back} days') AND date(${week}, '${6 - back} days'))`;
  expect(rows(`SELECT count(*) FROM campaign_weeks AS w WHERE days <> ${days('week', 0)}`)).toEqual([[0]]);
  const compared = 'FROM campaign_weeks AS w WHERE clicks_change IS NOT NULL';
  expect(rows(`SELECT count(*) > 5 ${compared}`)).toEqual([[1]]);
  expect(rows(`SELECT count(*) ${compared} AND (days < 7 OR ${days('week', 7)} < 7)`)).toEqual([[0]]);
  expect(rows('SELECT count(*) > 0 FROM campaign_weeks WHERE days < 7')).toEqual([[1]]);
});
