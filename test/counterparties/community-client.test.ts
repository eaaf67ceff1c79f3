import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseQuery } from '../../src/language/gaql/syntax/parse-query.ts';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { EUR, freshSandbox, JPY } from '../sandbox/sandbox-client.ts';
import { createWorld } from '../support/world.ts';
import { installed } from './installed.ts';
import { numberOf, VERSION } from './protocol-definitions.ts';

/** A row as the client gives it: names as in the query, numbers as numbers, words of enumerations as their numbers. */
type ClientRow = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface CommunityCustomer {
  /** The whole report at once. */
  query(query: string): Promise<ClientRow[]>;
  /** The same, row by row as the bytes arrive. */
  queryStream(query: string): AsyncIterable<ClientRow>;
}

interface Request {
  url?: string;
  httpAgent?: Agent;
}
interface Client {
  Customer(options: object): CommunityCustomer & { getAccessToken: () => Promise<string> };
}
interface Package {
  readonly GoogleAdsApi: new (options: object) => Client;
  readonly enums: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
}

/** Who else's program sends its requests to the one address it knows. */
const SERVICE = `https://googleads.googleapis.com/${VERSION}/`;

/** The names of an enumeration by their numbers, such as `CampaignStatus`. */
function wordsOf(enumeration: string): Readonly<Record<string, string | number>> {
  const found = installed<Package>('google-ads-api').enums[enumeration];
  if (found === undefined) throw new Error(`The client knows no enumeration ${enumeration}.`);
  return found;
}

/** The community's client, made to ask the sandbox with a token of the sandbox. */
function communityClient(sandbox: Sandbox, accessToken = sandbox.credentials.accessToken) {
  const { GoogleAdsApi } = installed<Package>('google-ads-api');
  const { default: axios } = installed<{
    default: {
      interceptors: { request: { use(change: (request: Request) => Request): number; eject(id: number): void } };
    };
  }>('axios');
  const id = axios.interceptors.request.use((request) => {
    if (!request.url?.startsWith(SERVICE)) throw new Error(`The client asks ${request.url}.`);
    // The comparison keeps the process busy for longer than an idle connection lives.
    request.httpAgent = new Agent({ keepAlive: false });
    request.url = `${sandbox.url}/${VERSION}/${request.url.slice(SERVICE.length)}`;
    return request;
  });
  const { clientId, clientSecret, developerToken, refreshToken } = sandbox.credentials;
  const api = new GoogleAdsApi({ client_id: clientId, client_secret: clientSecret, developer_token: developerToken });
  return {
    /** One account, reached through a manager where one is named. */
    customer(customerId: string, loginCustomerId?: string): CommunityCustomer {
      const login = loginCustomerId === undefined ? {} : { login_customer_id: loginCustomerId };
      const customer = api.Customer({ customer_id: customerId, refresh_token: refreshToken, ...login });
      customer.getAccessToken = async () => accessToken;
      return customer;
    },
    close: () => axios.interceptors.request.eject(id),
  };
}

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

describe('the community client', () => {
  it('B13, B14: reads exactly the rows of our tables from the stream', async () => {
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

  it('B15: reads our refusal of a query, with reason and place', async () => {
    const customer = open(await freshSandbox()).customer(EUR);
    const refused = {
      errors: [{ error_code: { query_error: numberOf('errors.QueryErrorEnum.QueryError', 'UNRECOGNIZED_FIELD') } }],
    };
    await expect(customer.query('SELECT campaign.nmae FROM campaign')).rejects.toMatchObject(refused);
    await expect(collect(customer.queryStream('SELECT campaign.nmae FROM campaign'))).rejects.toMatchObject({
      errors: [{ location: { field_path_elements: [{ field_name: 'query' }] } }],
    });
  });

  it('B11: reads why access is refused: a wrong token, an account reached the wrong way', async () => {
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
