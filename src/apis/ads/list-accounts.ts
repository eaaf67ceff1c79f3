import * as z from 'zod';
import { type CustomerId, customerId, isId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../http/classify-failure.ts';
import { readText } from '../../http/http-client.ts';
import { tellable } from '../../http/tellable.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';
import { type CustomerRecord, customerRecord, type Offered, offered } from './read-account.ts';
import { foreignAnswer, readRows, readWithRetries } from './search-stream.ts';

const SHOWN_MAX = 30;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

const answerShape = z.object({
  resourceNames: z.array(z.string().regex(/^customers\/[1-9]\d*$/)).default([]),
});

export interface AccessibleCustomers {
  /** In ascending order, each once. */
  readonly customers: readonly CustomerId[];
  /** Numbers that are beyond int64, which no account's is. */
  readonly unusable: readonly string[];
}

/** The accounts the credentials reach (requirement B7). */
export async function listAccessibleCustomers(ads: AdsConnection): Promise<AccessibleCustomers> {
  return readWithRetries(ads, 'The list of accounts', async () => {
    const answer = await callAds(ads, { method: 'GET', path: 'customers:listAccessibleCustomers' });
    const parsed = answerShape.safeParse(parseJson(await readText(answer, ANSWER_BYTES_MAX)));
    if (!parsed.success) {
      throw malformed('MALFORMED', 'The list of accounts is not JSON with resourceNames of customers', false);
    }
    const numbers = [...new Set(parsed.data.resourceNames.map((name) => name.slice('customers/'.length)))];
    numbers.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return {
      customers: numbers.filter(isId).map(customerId),
      unusable: numbers.filter((number) => !isId(number)).map((number) => tellable(number, ads.redact, SHOWN_MAX)),
    };
  });
}

/** An account or a manager, as the account that was asked sees it. */
export interface ClientRecord extends CustomerRecord {
  readonly customerId: CustomerId;
  /** Steps below the account that was asked; 0 for that one itself. */
  readonly level: number;
  readonly manager: boolean;
  /** The service's word, such as ENABLED or SUSPENDED; undefined where it says nothing. */
  readonly status: string | undefined;
}

const CLIENT_QUERY =
  'SELECT customer_client.id, customer_client.level, customer_client.manager, customer_client.status, ' +
  'customer_client.descriptive_name, customer_client.currency_code, customer_client.time_zone FROM customer_client';

const int64 = z.union([z.string(), z.number().int().transform(String)]);

/** A level of 0 and a manager of false may be left out of the answer. */
const clientRow = z.object({
  customerClient: z.object({
    id: int64.pipe(z.string().regex(/^[1-9]\d*$/)),
    level: int64.pipe(z.string().regex(/^\d{1,9}$/)).default('0'),
    manager: z.boolean().default(false),
    status: z.string().optional(),
    descriptiveName: z.string().optional(),
    currencyCode: z.string().optional(),
    timeZone: z.string().optional(),
  }),
});

/** A word that is none is shown to nobody: that the account is not enabled is all there is to know of it. */
function statusWord(status: string | undefined): string | undefined {
  return status === undefined || /^[A-Z_]{1,40}$/.test(status) ? status : 'UNKNOWN';
}

export interface ClientList {
  readonly clients: readonly ClientRecord[];
  /** Numbers that are beyond int64, which no account's is. */
  readonly unusable: readonly string[];
}

/** A manager's whole tree, or an ordinary account alone, by one request. */
export async function readClients(ads: AdsConnection, root: CustomerId): Promise<Offered<ClientList>> {
  return offered(async () => {
    const rows = await readRows(ads, root, CLIENT_QUERY, clientRow);
    // The names of resources may be left out of an answer; the account that was asked is at the top of its own.
    const top = rows.find(({ customerClient: { id, level } }) => level === '0' && id !== root);
    if (top !== undefined) throw foreignAnswer(root, top.customerClient.id);
    const all = rows.map(({ customerClient }) => customerClient);
    const clients = all
      .filter(({ id }) => isId(id))
      .map((client) => ({
        ...customerRecord(client, ads.redact),
        customerId: customerId(client.id),
        level: Number(client.level),
        manager: client.manager,
        status: statusWord(client.status),
      }));
    const others = all.filter(({ id }) => !isId(id));
    return { clients, unusable: others.map(({ id }) => tellable(id, ads.redact, SHOWN_MAX)) };
  });
}
