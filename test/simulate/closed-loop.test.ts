import { join } from 'node:path';
import { expect, it } from 'vitest';
import { simulate } from '../../src/commands/simulate/run-simulate.ts';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { addDays } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { grouped } from '../../src/domain/wording.ts';
import { loadInputs } from '../../src/engine/load-inputs.ts';
import { createWorld } from '../support/world.ts';

const CUSTOMER = '4081725530';
const FIRST = civilDate('2026-01-01');
const DAYS = 5;
const HOUR_MS = 3_600_000;

const QUERIES = {
  'stats.sql': `SELECT campaign.id, campaign.name, campaign_budget.amount_micros, metrics.impressions, metrics.clicks,
    metrics.cost_micros, segments.date FROM campaign WHERE segments.date DURING LAST_14_DAYS AND campaign.status = 'ENABLED'`,
};
const RULES = {
  'trim.yaml': `description: Cuts what is dear.
from: stats
for: campaign
over: 3 days
when: clicks >= 10 AND cost / clicks > 2.50
currency: EUR
change: decrease budget by 15%
limits: { floor: 40, step: 20%, cooldown: 2 days }
mode: apply
alert: { severity: info, text: "{campaign_name}: {cost / clicks} a click" }
`,
  'feed.yaml': `description: Feeds what is cheap and used, shared budgets as one.
from: stats
for: budget
over: 2 days
when: cost > 50% * 2 * budget AND average_cpc < 1.50
currency: EUR
change: increase budget by 2
limits: { ceiling: 75 }
mode: apply
`,
  'watch.yaml': `description: Tells of days that cost more than the day before.
from: stats
for: campaign
over: yesterday
when: cost > 1.1 * cost over previous 1 days AND campaign_budget_amount_micros > 1000000
alert: { text: "{campaign_name}: {cost}" }
`,
};

it('daily reports against the sandbox match the simulation of the same market', async () => {
  const world = await createWorld({
    queries: QUERIES,
    rules: RULES,
    env: { ADS_CUSTOMER_IDS: CUSTOMER },
    config: 'automation: { mode: apply }\nalerts: { repeat_hours: 24, cooldown_minutes: 60, digest_at: never }\n',
  });
  // A run a day, and one more to read what the last day came to.
  for (let day = 0; day <= DAYS; day += 1) {
    world.clock.set(`${addDays(FIRST, day)}T06:00:00Z`);
    const last = day === DAYS;
    expect((last ? await world.extract() : await world.report()).failures).toEqual([]);
  }

  const inputs = await loadInputs(
    {
      queries: join(world.folder, 'queries'),
      rules: join(world.folder, 'rules'),
      targets: '',
      models: join(world.folder, 'models'),
    },
    () => ({
      catalogue: loadCatalogue('v25'),
    }),
  );
  const result = await simulate(inputs, {
    days: DAYS,
    seed: 1,
    marketFile: undefined,
    customerId: customerId(CUSTOMER),
    campaigns: undefined,
    from: FIRST,
    shocks: false,
    policy: { cooldownMs: HOUR_MS, repeatMs: 24 * HOUR_MS },
    // A day that has begun keeps its budgets in the sandbox.
    changesCount: 'next_day',
    boundsOf: () => ({ dailyTotalMax: undefined, dailyExposureMax: undefined }),
    holidaysOf: () => new Set<never>(),
    conversionDaysOf: () => 7,
    mode: 'apply',
  });

  const changes = world.rows(
    'state',
    'SELECT account_day AS day, budget_id, rule, from_micros, to_micros FROM budget_intent ORDER BY 1, 2',
  );
  const simulated = result.changes.map(({ day, budgetId, rule, fromMicros, toMicros }) => ({
    day,
    budget_id: Number(budgetId),
    rule,
    from_micros: Number(fromMicros),
    to_micros: Number(toMicros),
  }));
  expect(simulated.length).toBeGreaterThan(10);
  expect(simulated.toSorted((a, b) => a.day.localeCompare(b.day) || a.budget_id - b.budget_id)).toEqual(changes);
  const spent = world.rows(
    'state',
    `SELECT date, sum(cost_micros) AS cost, sum(clicks) AS clicks FROM stats WHERE date >= '${FIRST}' GROUP BY 1 ORDER BY 1`,
  );
  expect(
    result.byDay.map(({ date, with: day }) => ({ date, cost: Number(day.spendMicros), clicks: day.clicks })),
  ).toEqual(spent);
  // A change is an event to the outbox; what is told of a rule's subject says as what.
  const told = world.rows(
    'state',
    `SELECT substr(created_at, 1, 10) AS day, reason, count(*) AS alerts FROM outbox GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const alerts = grouped(
    result.alerts.map(({ day, kind }) => `${day} ${kind === 'change' ? 'event' : kind}`),
    (key) => key,
  );
  expect(alerts.map((own) => `${own[0]} ${own.length}`).toSorted()).toEqual(
    told.map(({ day, reason, alerts }) => `${day} ${reason} ${alerts}`),
  );
});
