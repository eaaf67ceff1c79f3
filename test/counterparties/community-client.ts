import { Agent } from 'node:http';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { installed } from './installed.ts';
import { VERSION } from './protocol-definitions.ts';

/** A row as the client gives it: names as in the query, numbers as numbers, words of enumerations as their numbers. */
export type ClientRow = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface CommunityCustomer {
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
export function wordsOf(enumeration: string): Readonly<Record<string, string | number>> {
  const found = installed<Package>('google-ads-api').enums[enumeration];
  if (found === undefined) throw new Error(`The client knows no enumeration ${enumeration}.`);
  return found;
}

/** The community's client, made to ask the sandbox with a token of the sandbox. */
export function communityClient(sandbox: Sandbox, accessToken = sandbox.credentials.accessToken) {
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
