import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../support/fake-time.ts';
import { EUR, freshSandbox, JPY, rowsOf, search } from '../sandbox-client.ts';

const ALL_FIELDS =
  'campaign.id, campaign.name, campaign.advertising_channel_type, ad_group.id, ad_group.name, ad_group.status, ' +
  'ad_group_criterion.criterion_id, ad_group_criterion.status, ad_group_criterion.keyword.text, ' +
  'ad_group_criterion.keyword.match_type, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date';
const CAMPAIGNS = 'SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros FROM campaign';
const WEEK = "segments.date BETWEEN '2026-11-10' AND '2026-11-16'";

describe('rows', () => {
  it('B13: every field of table 2.8 is selectable, in lowerCamelCase, int64 as text', async () => {
    const sandbox = await freshSandbox();
    const [row] = await rowsOf(sandbox, EUR, `SELECT ${ALL_FIELDS} FROM keyword_view WHERE ${WEEK} LIMIT 1`);
    expect(row).toEqual({
      keywordView: { resourceName: expect.stringMatching(/^customers\/4081725530\/keywordViews\/\d+~\d+$/) },
      campaign: {
        resourceName: expect.stringMatching(/^customers\/4081725530\/campaigns\/\d+$/),
        id: expect.stringMatching(/^\d+$/),
        name: 'Generisch - Wanderschuhe',
        advertisingChannelType: 'SEARCH',
      },
      adGroup: {
        resourceName: expect.stringMatching(/^customers\/4081725530\/adGroups\/\d+$/),
        id: expect.stringMatching(/^\d+$/),
        name: 'wanderschuhe',
        status: 'ENABLED',
      },
      adGroupCriterion: {
        resourceName: expect.stringMatching(/^customers\/4081725530\/adGroupCriteria\/\d+~\d+$/),
        criterionId: expect.stringMatching(/^\d+$/),
        status: expect.stringMatching(/^(ENABLED|PAUSED)$/),
        keyword: { text: expect.stringContaining('wanderschuhe'), matchType: expect.stringMatching(/^[A-Z]+$/) },
      },
      metrics: {
        impressions: expect.stringMatching(/^[1-9]\d*$/),
        clicks: expect.stringMatching(/^\d+$/),
        costMicros: expect.stringMatching(/^\d+$/),
      },
      segments: { date: '2026-11-10' },
    });
  });

  it('B13: strict rows hold only the selected fields, batches only results', async () => {
    const sandbox = await freshSandbox({ strict: true });
    const answer = await search(
      sandbox,
      EUR,
      'SELECT campaign.id, metrics.clicks FROM keyword_view WHERE segments.date DURING YESTERDAY LIMIT 1',
    );
    expect(answer.json).toEqual([
      { results: [{ campaign: { id: expect.any(String) }, metrics: { clicks: expect.any(String) } }] },
    ]);
    const none = await search(sandbox, EUR, 'SELECT campaign.id FROM keyword_view WHERE campaign.id = 1');
    expect(none.json).toEqual([{ results: [] }]);
  });

  it('B13: strict mode refuses fields beyond the specification', async () => {
    const sandbox = await freshSandbox({ strict: true });
    const answer = await search(sandbox, EUR, 'SELECT campaign.id FROM campaign');
    expect(answer.json.error.details[0].errors[0].errorCode).toEqual({
      queryError: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE',
    });
    expect(answer.headers).not.toHaveProperty('request-id');
  });

  it('with a date, rows with only zero metrics are left out; without a date, they come as "0"', async () => {
    const sandbox = await freshSandbox();
    const dated = await rowsOf(
      sandbox,
      EUR,
      `SELECT ad_group_criterion.criterion_id, metrics.clicks, segments.date FROM keyword_view WHERE ${WEEK}`,
    );
    expect(dated.length).toBeGreaterThan(100);
    expect(dated.every(({ metrics }) => metrics.clicks !== '0')).toBe(true);
    const paused = await rowsOf(sandbox, EUR, `${CAMPAIGNS} WHERE ${WEEK} AND campaign.status = PAUSED`);
    expect(paused).toMatchObject([{ metrics: { clicks: '0', costMicros: '0' } }]);
  });

  it('sums of days, keywords, campaigns and the customer agree', async () => {
    const sandbox = await freshSandbox();
    // biome-ignore lint/suspicious/noExplicitAny: rows have the shape the query asks for.
    const total = (rows: any[]) => rows.reduce((sum, { metrics }) => sum + BigInt(metrics.costMicros), 0n);
    const sums = await Promise.all(
      [
        `SELECT ad_group.id, segments.date, metrics.cost_micros FROM keyword_view WHERE ${WEEK}`,
        `SELECT ad_group_criterion.criterion_id, metrics.cost_micros FROM keyword_view WHERE ${WEEK}`,
        `SELECT campaign.id, metrics.cost_micros FROM campaign WHERE ${WEEK}`,
        `SELECT customer.currency_code, metrics.cost_micros FROM customer WHERE ${WEEK}`,
        `SELECT segments.date, metrics.cost_micros FROM customer WHERE ${WEEK}`,
      ].map(async (query) => total(await rowsOf(sandbox, EUR, query))),
    );
    expect(sums[0]).toBeGreaterThan(0n);
    expect(new Set(sums).size).toBe(1);
  });

  it('campaign budgets show the current amount, sharing and the number of campaigns', async () => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(
      sandbox,
      EUR,
      'SELECT campaign_budget.id, campaign_budget.amount_micros, campaign_budget.explicitly_shared, campaign_budget.reference_count FROM campaign_budget WHERE campaign_budget.explicitly_shared = TRUE',
    );
    expect(rows).toMatchObject([
      { campaignBudget: { amountMicros: '90000000', explicitlyShared: true, referenceCount: '3' } },
    ]);
    const customers = await rowsOf(
      sandbox,
      JPY,
      'SELECT customer.id, customer.currency_code, customer.time_zone FROM customer',
    );
    expect(customers).toEqual([
      { customer: { resourceName: `customers/${JPY}`, id: JPY, currencyCode: 'JPY', timeZone: 'Asia/Tokyo' } },
    ]);
  });
});

describe('WHERE, ORDER BY and LIMIT', () => {
  const NAMES = [
    'Generisch - Wanderschuhe',
    'Generisch - Zelte',
    'Marke - Alpenkontor',
    'Rucksäcke "Öko", größer & günstiger 🎒',
    'Schlafsäcke',
    'Regenjacken',
    'Zubehör - Trinkflaschen',
    'Zubehör - Stirnlampen',
    'Zubehör - Kocher',
    'Kletterausrüstung',
    'Winter - Schneeschuhe',
    'Isomatten',
  ];

  it.each<[condition: string, expected: readonly string[]]>([
    ["campaign.name = 'Isomatten'", ['Isomatten']],
    ["campaign.name = 'isomatten'", []],
    ["campaign.name != 'Isomatten'", NAMES.slice(0, -1)],
    ["campaign.name LIKE 'generisch%'", NAMES.slice(0, 2)],
    ["campaign.name LIKE '%zelt_'", ['Generisch - Zelte']],
    ["campaign.name LIKE '%[_]%'", []],
    ["campaign.name LIKE '%ÖKO\", GRÖSSER%'", []],
    ["campaign.name LIKE '%öko\", GRÖßER & % 🎒'", [NAMES[3] ?? '']],
    ["campaign.name LIKE '%günstiger _'", [NAMES[3] ?? '']],
    ["campaign.name LIKE '%.*%'", []],
    ["campaign.name NOT LIKE '%e%'", []],
    ["campaign.name IN ('Isomatten', 'Schlafsäcke')", ['Schlafsäcke', 'Isomatten']],
    ["campaign.name NOT IN ('Isomatten') AND campaign.name LIKE 'i%'", []],
    ['campaign.status = PAUSED', ['Winter - Schneeschuhe']],
    ['campaign.status IN (PAUSED, REMOVED)', ['Winter - Schneeschuhe']],
    ['campaign.id IS NULL', []],
    ['campaign.id IS NOT NULL', NAMES],
    [
      'campaign_budget.amount_micros > 70000000 AND campaign_budget.amount_micros <= 90000000',
      [NAMES[1] ?? '', ...NAMES.slice(6, 9)],
    ],
    ['campaign_budget.amount_micros BETWEEN 30000000 AND 35000000', ['Winter - Schneeschuhe', 'Isomatten']],
    ['campaign_budget.amount_micros < 9223372036854775807', NAMES],
    ['campaign_budget.amount_micros >= 85000000 AND campaign_budget.explicitly_shared = FALSE', ['Generisch - Zelte']],
  ])('B13: WHERE %s', async (condition, expected) => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(sandbox, EUR, `SELECT campaign.name FROM campaign WHERE ${condition}`);
    expect(rows.map(({ campaign }) => campaign.name)).toEqual(expected);
  });

  it('B13: supports the filters of the specification', async () => {
    const sandbox = await freshSandbox({ strict: true });
    const rows = await rowsOf(
      sandbox,
      EUR,
      "SELECT ad_group_criterion.status, metrics.clicks FROM keyword_view WHERE segments.date DURING LAST_7_DAYS AND campaign.advertising_channel_type = 'SEARCH' AND ad_group.status = 'ENABLED' AND ad_group_criterion.status IN ('ENABLED', 'PAUSED') ORDER BY metrics.clicks DESC LIMIT 50",
    );
    const clicks = rows.map(({ metrics }) => Number(metrics.clicks));
    expect(clicks).toHaveLength(50);
    expect(clicks).toEqual([...clicks].sort((a, b) => b - a));
  });

  it('applies conditions on metrics to the summed row', async () => {
    const sandbox = await freshSandbox();
    const all = await rowsOf(sandbox, EUR, `${CAMPAIGNS} WHERE ${WEEK}`);
    const many = await rowsOf(
      sandbox,
      EUR,
      `${CAMPAIGNS} WHERE ${WEEK} AND metrics.clicks > 150 AND metrics.cost_micros != 0`,
    );
    expect(many).toEqual(all.filter(({ metrics }) => Number(metrics.clicks) > 150));
    expect(many.length).toBeGreaterThan(0);
    expect(many.length).toBeLessThan(all.length);
  });

  it('orders by several fields, compares numbers by size, and limits after ordering', async () => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(
      sandbox,
      EUR,
      `SELECT ad_group_criterion.keyword.match_type, metrics.clicks FROM keyword_view WHERE ${WEEK} ORDER BY ad_group_criterion.keyword.match_type ASC, metrics.clicks DESC LIMIT 400`,
    );
    const keys = rows.map(
      ({ adGroupCriterion, metrics }) => [adGroupCriterion.keyword.matchType, -Number(metrics.clicks)] as const,
    );
    const sorted = [...keys].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
    expect(keys).toEqual(sorted);
    expect(new Set(keys.map(([type]) => type)).size).toBeGreaterThan(1);
  });

  it.each([
    ["segments.date = '2026-11-10'", ['2026-11-10']],
    [
      "segments.date IN ('2026-11-10', '20261112') AND segments.date >= '2026-11-01' AND segments.date <= '2026-11-15'",
      ['2026-11-10', '2026-11-12'],
    ],
    ["segments.date > '2026-11-10' AND segments.date < '20261113'", ['2026-11-11', '2026-11-12']],
    ['segments.date DURING YESTERDAY', ['2026-11-19']],
    ["segments.date BETWEEN '2019-01-01' AND '2019-12-31'", []],
  ])('B13: filters dates WHERE %s', async (condition, expected) => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(sandbox, EUR, `SELECT segments.date, metrics.clicks FROM customer WHERE ${condition}`);
    expect(rows.map(({ segments }) => segments.date)).toEqual(expected);
  });

  it("B13: DURING uses the account's own today", async () => {
    const sandbox = await freshSandbox({ clock: fakeClock('2026-11-20T18:00:00Z') });
    const query = 'SELECT segments.date, metrics.clicks FROM customer WHERE segments.date DURING LAST_7_DAYS';
    const [berlin, tokyo] = await Promise.all([EUR, JPY].map((customer) => rowsOf(sandbox, customer, query)));
    expect(berlin?.map(({ segments }) => segments.date).at(-1)).toBe('2026-11-19');
    expect(tokyo?.map(({ segments }) => segments.date).at(-1)).toBe('2026-11-20');
    expect(tokyo).toHaveLength(7);
  });
});

describe('the stream', () => {
  it('B14: limits batches to 10,000 rows, with field mask and request id', async () => {
    const sandbox = await freshSandbox();
    const answer = await search(
      sandbox,
      EUR,
      `SELECT ${ALL_FIELDS} FROM keyword_view WHERE segments.date BETWEEN '2026-11-01' AND '2026-11-19'`,
    );
    const sizes = answer.json.map(({ results }: { results: unknown[] }) => results.length);
    expect(sizes[0]).toBe(10_000);
    expect(sizes.length).toBe(2);
    const id = answer.headers.get('request-id');
    for (const batch of answer.json) {
      expect(batch.requestId).toBe(id);
      expect(batch.fieldMask).toContain('campaign.id,campaign.name,campaign.advertisingChannelType,adGroup.id');
    }
  });

  it('B14: sends one batch without results for an empty answer', async () => {
    const sandbox = await freshSandbox();
    const answer = await search(sandbox, EUR, 'SELECT campaign.id FROM campaign WHERE campaign.id = 7');
    expect(answer.json).toEqual([{ fieldMask: 'campaign.id', requestId: expect.any(String) }]);
  });

  it('B14: compresses with gzip exactly if the client accepts gzip', async () => {
    const sandbox = await freshSandbox();
    const encodings = await Promise.all(
      ['gzip, deflate', 'identity'].map(async (accepted) => {
        const response = await fetch(`${sandbox.url}/v21/customers/${EUR}/googleAds:searchStream`, {
          method: 'POST',
          headers: {
            authorization: 'Bearer sandbox-access-token',
            'content-type': 'application/json',
            'accept-encoding': accepted,
          },
          body: JSON.stringify({ query: `${CAMPAIGNS} WHERE ${WEEK}` }),
        });
        return { encoding: response.headers.get('content-encoding'), text: await response.text() };
      }),
    );
    expect(encodings.map(({ encoding }) => encoding)).toEqual(['gzip', null]);
    const [zipped, plain] = encodings.map(({ text }) => JSON.parse(text)[0].results);
    expect(zipped).toEqual(plain);
  });

  it('B15: answers a bad query with every error, a request id and locations, in an array', async () => {
    const sandbox = await freshSandbox();
    const answer = await search(
      sandbox,
      EUR,
      'SELECT campaign.idd, metrics.clicks FROM campaign WHERE campaign.status = FOO',
    );
    expect(answer.status).toBe(400);
    expect(answer.json).toHaveLength(1);
    const { error } = answer.json[0];
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    expect(error.details[0]['@type']).toBe('type.googleapis.com/google.ads.googleads.v21.errors.GoogleAdsFailure');
    expect(error.details[0].requestId).toBe(answer.headers.get('request-id'));
    const location = { fieldPathElements: [{ fieldName: 'query' }] };
    expect(error.details[0].errors).toMatchObject([
      { errorCode: { queryError: 'UNRECOGNIZED_FIELD' }, message: expect.stringContaining('campaign.id'), location },
      { errorCode: { queryError: 'BAD_ENUM_CONSTANT' }, location },
    ]);
  });

  it('B15: refuses syntax errors and a missing query the same way', async () => {
    const sandbox = await freshSandbox();
    const answer = await search(sandbox, EUR, 'SELECT FROM WHERE');
    expect(answer.json[0].error.details[0].errors.length).toBeGreaterThan(0);
    const missing = await search(sandbox, EUR, undefined as unknown as string);
    expect(missing.json[0].error.details[0].errors[0].message).toContain('expected the text of a query');
  });
});
