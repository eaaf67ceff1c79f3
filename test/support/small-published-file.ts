import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** A published file of two days of spend, with a hostile name and an amount that a float cannot hold. */
export function smallPublishedFile(dataFolder: string): string {
  mkdirSync(dataFolder, { recursive: true });
  const path = join(dataFolder, 'warehouse.sqlite');
  new Database(path)
    .exec(`CREATE TABLE as_of (as_of, target, publication);
      INSERT INTO as_of VALUES ('2026-11-20 06:00:00.000', 'sandbox', 'p');
      CREATE TABLE data_dictionary (table_name, column_name, type, unit, description);
      INSERT INTO data_dictionary VALUES ('spend', '', 'table', NULL, 'Spend of <b>days</b>.'),
        ('spend', 'cost_micros', 'INTEGER', 'micros', 'The cost.');
      CREATE TABLE spend (date TEXT, campaign_name TEXT, cost_micros INTEGER);
      INSERT INTO spend VALUES ('2026-11-18', '=HYPERLINK("http://x")', 9007199254740993),
        ('2026-11-19', '<script>alert(1)</script>', 2000000)`)
    .close();
  return path;
}
