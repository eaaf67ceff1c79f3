import { describe, expect, it } from 'vitest';
import { EUR, freshSandbox, JPY, post, rowsOf, search } from '../sandbox-client.ts';

const RIGHT = 'SELECT campaign.id FROM campaign';

describe('paged search', () => {
  const ask = async (body: unknown, options = {}) =>
    post(await freshSandbox(options), `/v25/customers/${EUR}/googleAds:search`, body);

  it('answers a valid query with an empty object and reads nothing', async () => {
    expect(await ask({ query: RIGHT, validateOnly: true })).toMatchObject({ status: 200, json: {} });
  });

  it('returns every error of an invalid query, unwrapped', async () => {
    const { status, json } = await ask({ query: `${RIGHT} LIMIT 0`, validateOnly: true });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: {
        status: 'INVALID_ARGUMENT',
        details: [{ errors: [{ errorCode: { queryError: 'LIMIT_VALUE_TOO_LOW' } }] }],
      },
    });
  });

  it('does not page results', async () => {
    expect((await ask({ query: RIGHT })).status).toBe(400);
  });

  it('is missing in strict mode', async () => {
    expect((await ask({ query: RIGHT, validateOnly: true }, { strict: true })).status).toBe(404);
  });
});

describe('a request accepts only the service’s query language', () => {
  it.each([
    ['a comment', `${RIGHT} -- all`, 'Found the comment \\"-- all\\", expected a request without comments.'],
    ['a block comment', `/* all */ ${RIGHT}`, 'Found the comment'],
    ['a semicolon', `${RIGHT};`, 'Found \\";\\" at the end'],
    [
      'an alias',
      'SELECT campaign.id AS id FROM campaign',
      'Found the column name AS id, expected a request without column names.',
    ],
    ['a parameter', `${RIGHT} WHERE campaign.id = :id`, 'Found the placeholder :id, expected a value.'],
    [
      'a calendar parameter',
      `${RIGHT} WHERE segments.date = :today-7`,
      'Found the placeholder :today-7, expected a value.',
    ],
  ])('refuses %s', async (_, query, reason) => {
    const { status, json } = await search(await freshSandbox(), EUR, query);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain(reason);
  });
});

describe('errors that only this program names', () => {
  it.each([
    ['a field selected twice', 'SELECT campaign.id, campaign.id FROM campaign', 'is selected twice'],
    ['a comment without an end', `${RIGHT} /* all`, 'comment'],
    ['an invalid name', 'SELECT campaign.id AS 7 FROM campaign', ''],
    ['an invalid pattern', `${RIGHT} WHERE campaign.name REGEXP_MATCH '('`, 'missing closing )'],
  ])('refuses %s as a query error without a code of its own', async (_, query, reason) => {
    const { status, json } = await search(await freshSandbox(), EUR, query);
    expect(status).toBe(400);
    const [{ errorCode, message }] = json[0].error.details[0].errors;
    expect(errorCode).toEqual({ queryError: 'QUERY_ERROR' });
    expect(message).toContain(reason);
  });
});

describe('what the check refuses', () => {
  it('is refused by the service, with the day of its clock', async () => {
    const changes = 'SELECT change_event.resource_name FROM change_event';
    const { status, text } = await search(
      await freshSandbox(),
      EUR,
      `${changes} WHERE change_event.change_date_time BETWEEN '2015-01-01' AND '2015-01-02' LIMIT 5`,
    );
    expect([status, text]).toEqual([400, expect.stringContaining('START_DATE_TOO_OLD')]);
  });
});

describe('operators and parameters of the public API', () => {
  const names = async (condition: string) => {
    const rows = await rowsOf(await freshSandbox(), JPY, `SELECT campaign.name FROM campaign WHERE ${condition}`);
    return rows.map((row) => (row as { campaign: { name: string } }).campaign.name);
  };

  it('REGEXP_MATCH matches the whole text, case-sensitive by default', async () => {
    const all = await names('campaign.id > 0');
    const [first = ''] = all;
    expect(all.length).toBeGreaterThan(1);
    expect(await names(`campaign.name REGEXP_MATCH '${first.slice(0, 1)}.*'`)).toContain(first);
    expect(await names(`campaign.name REGEXP_MATCH '${first.slice(0, 1)}'`)).toEqual([]);
    expect(await names(`campaign.name NOT REGEXP_MATCH '.*'`)).toEqual([]);
    expect(await names(`campaign.name REGEXP_MATCH '(?i)${first.toLowerCase().replace(/\W/g, '.')}'`)).toContain(first);
  });

  it('omit_unselected_resource_names leaves out resource names', async () => {
    const sandbox = await freshSandbox();
    const query = 'SELECT campaign.id FROM campaign LIMIT 1';
    expect(await rowsOf(sandbox, EUR, query)).toEqual([
      { campaign: { resourceName: expect.any(String), id: expect.any(String) } },
    ]);
    expect(await rowsOf(sandbox, EUR, `${query} PARAMETERS omit_unselected_resource_names = true`)).toEqual([
      { campaign: { id: expect.any(String) } },
    ]);
  });
});
