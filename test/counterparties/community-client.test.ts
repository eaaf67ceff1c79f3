import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseQuery } from '../../src/gaql/syntax/parse-query.ts';
import { EUR, freshSandbox, JPY } from '../sandbox/sandbox-client.ts';
import { createWorld } from '../support/world.ts';
import { type ClientRow, communityClient, wordsOf } from './community-client.ts';
import { numberOf } from './protocol-definitions.ts';

/** The fields of the shipped queries that have words, which the client gives as numbers. */
const ENUMERATIONS: Readonly<Record<string, string>> = {
  'campaign.status': 'CampaignStatus',
  'campaign.advertising_channel_type': 'AdvertisingChannelType',
  'ad_group.status': 'AdGroupStatus',
  'ad_group_criterion.status': 'AdGroupCriterionStatus',
  'ad_group_criterion.keyword.match_type': 'KeywordMatchType',
};

const AUTHORIZATION = 'errors.AuthorizationErrorEnum.AuthorizationError';

function open(...args: Parameters<typeof communityClient>) {
  const client = communityClient(...args);
  onTestFinished(() => client.close());
  return client;
}

/** A field of a row as our table has it. */
function fieldOf(row: ClientRow, field: string): unknown {
  const value = field.split('.').reduce<unknown>((inner, part) => (inner as Record<string, unknown>)[part], row);
  const words = ENUMERATIONS[field];
  if (words !== undefined) return wordsOf(words)[value as number];
  return typeof value === 'boolean' ? Number(value) : value;
}

const columnOf = (field: string) => field.replace(/^(metrics|segments)\./, '').replaceAll('.', '_');

describe('the client of the community', () => {
  it('B13, B14: reads from the stream exactly the rows of our tables', { timeout: 180_000 }, async () => {
    const world = await createWorld({ env: { ADS_CUSTOMER_IDS: `${EUR},${JPY}` } });
    expect((await world.extract()).failures).toEqual([]);
    const client = open(world.sandbox);
    const compared: [table: string, rows: number][] = [];
    for (const table of ['campaign', 'campaign_budget', 'campaign_spend', 'keyword_stats']) {
      const { tree } = parseQuery(readFileSync(`queries/${table}.sql`, 'utf8'));
      const fields = tree.select.map(({ name }) => name);
      const columns = fields.map(columnOf).join(', ');
      const ours = world.rows('warehouse', `SELECT customer_id, ${columns} FROM ${table}`);
      const begin = `SELECT ${fields.join(', ')} FROM `;
      const theirs: unknown[] = [];
      for (const { query = '', customerId = '' } of [...world.sandbox.requests]) {
        if (!query.startsWith(begin)) continue;
        for (const row of await rowsOf(client.customer(customerId), query)) {
          theirs.push([Number(customerId), ...fields.map((field) => fieldOf(row, field))]);
        }
      }
      expect(inOrder(theirs), table).toEqual(inOrder(ours.map((row) => Object.values(row))));
      compared.push([table, theirs.length]);
    }
    expect(compared).toEqual([
      ['campaign', 23],
      ['campaign_budget', 19],
      ['campaign_spend', 814],
      ['keyword_stats', 41_335],
    ]);
  });

  it('B15: reads our refusal of a query, with its reason and its place', async () => {
    const customer = open(await freshSandbox()).customer(EUR);
    const refused = {
      errors: [{ error_code: { query_error: numberOf('errors.QueryErrorEnum.QueryError', 'UNRECOGNIZED_FIELD') } }],
    };
    await expect(customer.query('SELECT campaign.nmae FROM campaign')).rejects.toMatchObject(refused);
    await expect(collect(customer.queryStream('SELECT campaign.nmae FROM campaign'))).rejects.toMatchObject({
      errors: [{ location: { field_path_elements: [{ field_name: 'query' }] } }],
    });
  });

  it('B11: reads why it is not let in: a wrong token, an account that is not reached that way', async () => {
    const sandbox = await freshSandbox({ manager: true });
    const stranger = communityClient(sandbox, 'another-token');
    const query = 'SELECT campaign.id FROM campaign';
    await expect(stranger.customer(EUR).query(query)).rejects.toThrow('Expected OAuth 2.0 access token');
    stranger.close();
    const client = open(sandbox);
    await expect(client.customer(EUR).query(query)).rejects.toMatchObject({
      errors: [{ error_code: { authorization_error: numberOf(AUTHORIZATION, 'USER_PERMISSION_DENIED') } }],
    });
  });
});

/** Both ways in which the client reads a stream. */
async function rowsOf(customer: ReturnType<ReturnType<typeof open>['customer']>, query: string): Promise<ClientRow[]> {
  return query.includes('keyword_view') ? customer.query(query) : collect(customer.queryStream(query));
}

async function collect(rows: AsyncIterable<ClientRow>): Promise<ClientRow[]> {
  const list: ClientRow[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

function inOrder(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
