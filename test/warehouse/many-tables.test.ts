import { expect, it } from 'vitest';
import { isThorough } from '../support/effort.ts';
import { addTable, publish, stateFile } from './published.ts';

/** SQLite joins 500 SELECTs at most. */
const TABLES = 510;
const SELECT = 'SELECT campaign.id, campaign.name, metrics.clicks, segments.date FROM campaign';

it.runIf(isThorough)('publishes more tables than SQLite can join, with the calendar and campaigns of all', async () => {
  const state = await stateFile();
  state.connection.pragma('synchronous = OFF');
  const dayOf = (index: number) => `2026-11-${1 + (index % 17)}`.replace(/-(\d)$/, '-0$1');
  for (let index = 0; index < TABLES; index += 1) {
    const row = { date: dayOf(index), campaign_id: 1 + (index % 3), campaign_name: dayOf(index), clicks: index };
    addTable(state, `q${index}`, SELECT, [row]);
  }
  const first = await publish(state);
  expect(first.rows('SELECT min(date) AS first, max(date) AS last FROM dim_calendar')).toEqual([
    { first: '2026-11-01', last: '2026-11-17' },
  ]);
  expect(first.rows('SELECT campaign_id, campaign_name, last_seen FROM dim_campaign')).toEqual([
    { campaign_id: 1, campaign_name: '2026-11-17', last_seen: '2026-11-17' },
    { campaign_id: 2, campaign_name: '2026-11-17', last_seen: '2026-11-17' },
    { campaign_id: 3, campaign_name: '2026-11-17', last_seen: '2026-11-17' },
  ]);
  expect(first.rows(`SELECT clicks FROM q${TABLES - 1}_by_month`)).toEqual([{ clicks: TABLES - 1 }]);

  // The next file carries this one on.
  state.connection.exec(`UPDATE q7 SET date = '2026-11-19', campaign_name = 'Newest';
    INSERT INTO unpublished_day (query, customer_id, date) VALUES ('q7', 4081725530, '2026-11-08'), ('q7', 4081725530, '2026-11-19')`);
  const next = await publish(state);
  expect(next.rows('SELECT max(date) AS last FROM dim_calendar')).toEqual([{ last: '2026-11-19' }]);
  expect(next.rows('SELECT campaign_name FROM dim_campaign WHERE campaign_id = 2')).toEqual([
    { campaign_name: 'Newest' },
  ]);
});
