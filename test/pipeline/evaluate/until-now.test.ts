import { expect, test } from 'vitest';
import { APPLY, createWorld } from '../../support/world.ts';

const QUERY = `SELECT campaign.id, segments.hour, metrics.clicks, segments.date FROM campaign
  WHERE segments.date BETWEEN :today-14 AND :today`;
const RULE = `description: Say the clicks of the day and of the week before, until now.
from: by_hour
for: account
when: clicks same weekday over 1 week until now > 0
alert: { text: "{coalesce(clicks on today until now, 0)} after {clicks same weekday over 1 week until now}" }
`;

test.each([
  ['a late evaluation counts the hours of the read', '2026-11-20', '2026-11-20T13:25:00Z', '2026-11-20T17:10:00Z', 14],
  ['an hour that began is not counted', '2026-11-20', '2026-11-20T13:59:59Z', '2026-11-20T14:00:01Z', 14],
  ['the second hour from 02:00 has not passed', '2026-10-25', '2026-10-25T01:30:00Z', '2026-10-25T01:31:00Z', 2],
  ['after it, both hours from 02:00 have passed', '2026-10-25', '2026-10-25T02:10:00Z', '2026-10-25T02:11:00Z', 3],
  ['the hour that spring skips has passed', '2026-03-29', '2026-03-29T01:10:00Z', '2026-03-29T01:11:00Z', 3],
])('%s', async (_, today, readAt, evaluatedAt, hour) => {
  const world = await createWorld({
    config: APPLY,
    now: readAt,
    queries: { 'by_hour.sql': QUERY },
    rules: { 'until-now.yaml': RULE },
  });
  const customers = [world.sandbox.market.accounts[0]?.customerId ?? expect.unreachable()];
  await world.extract({ customers });
  world.clock.set(evaluatedAt);
  const { failures } = await world.report({ customers, noExtract: true });

  const table = world.rows('state', 'SELECT date, hour, clicks FROM by_hour');
  const until = (day: Date, before: number) =>
    table
      .filter((row) => String(row.date) === day.toISOString().slice(0, 10) && Number(row.hour) < before)
      .reduce((sum, { clicks }) => sum + Number(clicks), 0);
  const day = new Date(`${today}T00:00:00Z`);
  const lastWeek = new Date(day.getTime() - 7 * 86_400_000);
  const alerts = world.rows('state', "SELECT text FROM alert WHERE kind = 'condition'");
  expect(failures).toEqual([]);
  expect(alerts).toEqual([{ text: expect.stringContaining(`${until(day, hour)} after ${until(lastWeek, hour)}`) }]);
  // Other hours have clicks, too, so the bound matters.
  expect(until(lastWeek, hour)).toBeLessThan(until(lastWeek, hour + 1));
  expect(until(lastWeek, hour - 1)).toBeLessThan(until(lastWeek, hour));
});
