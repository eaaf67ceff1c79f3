import * as z from 'zod';
import { type CustomerId, customerId, isId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../http/classify-failure.ts';
import { readText } from '../http/http-client.ts';
import { withLoggedRetries } from '../http/retry.ts';
import { tellable } from '../http/tellable.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';
import { foreignAnswer } from './foreign-rows.ts';
import { accountFields, type CustomerRecord, customerRecord, offered } from './read-account.ts';
import { readRows } from './search-stream.ts';

const SHOWN_MAX = 30;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

const answerShape = z.object({
  resourceNames: z.array(z.string().regex(/^customers\/[1-9]\d*$/)).default([]),
});

export interface AccessibleCustomers {
  /** Sorted, without duplicates. */
  readonly customers: readonly CustomerId[];
  /** Numbers beyond int64, which are not valid account ids. */
  readonly unusable: readonly string[];
}

/** Implements requirement B7. */
export async function listAccessibleCustomers(ads: AdsConnection): Promise<AccessibleCustomers> {
  return withLoggedRetries(ads, 'read', 'The list of accounts', async () => {
    const answer = await callAds(ads, { method: 'GET', path: 'customers:listAccessibleCustomers' });
    const parsed = answerShape.safeParse(parseJson(await readText(answer, ANSWER_BYTES_MAX)));
    if (!parsed.success) {
      throw malformed(
        'MALFORMED',
        'The list of accounts is invalid: expected JSON with resourceNames of customers',
        false,
      );
    }
    const numbers = [...new Set(parsed.data.resourceNames.map((name) => name.slice('customers/'.length)))];
    numbers.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return {
      customers: numbers.filter(isId).map(customerId),
      unusable: numbers.filter((number) => !isId(number)).map((number) => tellable(number, ads.redact, SHOWN_MAX)),
    };
  });
}

export interface ClientRecord extends CustomerRecord {
  readonly customerId: CustomerId;
  /** Levels below the queried account, which has level 0. */
  readonly level: number;
  readonly manager: boolean;
  readonly status: string | undefined;
}

const CLIENT_QUERY =
  'SELECT customer_client.id, customer_client.level, customer_client.manager, customer_client.status, ' +
  'customer_client.descriptive_name, customer_client.currency_code, customer_client.time_zone FROM customer_client';

const int64 = z.union([z.string(), z.number().int().transform(String)]);

const clientRow = z.object({
  customerClient: z.object({
    id: int64.pipe(z.string().regex(/^[1-9]\d*$/)),
    level: int64.pipe(z.string().regex(/^\d{1,9}$/)).default('0'),
    manager: z.boolean().default(false),
    status: z.string().optional(),
    ...accountFields,
  }),
});

function statusWord(status: string | undefined): string | undefined {
  return status === undefined || /^[A-Z_]{1,40}$/.test(status) ? status : 'UNKNOWN';
}

const chosenRow = z.object({ customerClient: clientRow.shape.customerClient.pick({ id: true }) });

export async function readChosenClients(
  ads: AdsConnection,
  root: CustomerId,
  query: string,
): Promise<ReadonlySet<CustomerId>> {
  const rows = await readRows(ads, root, query, chosenRow);
  return new Set(
    rows
      .map(({ customerClient: { id } }) => id)
      .filter(isId)
      .map(customerId),
  );
}

/** Reads a manager and all accounts below, or one ordinary account. Undefined without this list. */
export async function readClients(
  ads: AdsConnection,
  root: CustomerId,
): Promise<{ readonly clients: readonly ClientRecord[]; readonly unusable: readonly string[] } | undefined> {
  return offered(async () => {
    const rows = await readRows(ads, root, CLIENT_QUERY, clientRow);
    // The account at level 0 must be the queried account. Otherwise, the answer belongs to another account.
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
