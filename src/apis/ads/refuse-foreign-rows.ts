import type { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { malformed } from '../../http/classify-failure.ts';

/**
 * What only the account itself can have: it and its clients, what stands in its campaigns, every view of its figures (a manager has
 * none), its changes and experiments. All else may rightly be another's: a manager shares bidding strategies, conversion actions, lists of
 * users and of what is excluded, labels, assets, whoever pays; a link has two ends. To refuse those would stop a good query for good.
 */
const OWN_KINDS = [
  'customerClients',
  '(?:campaign|adGroup|assetGroup)[A-Za-z]*',
  '[A-Za-z]+Views?',
  'ads',
  'adParameters',
  'changeEvents',
  'changeStatus',
  'experiments',
  'experimentArms',
  'smartCampaignSettings',
  'shoppingProducts',
  'customerSearchTermInsights',
];

/** The name of such a thing, as the interface writes it in a row; the account's own ends after its number. */
const OWN_RESOURCE = new RegExp(`"resourceName"\\s*:\\s*"customers/(\\d+)(?:"|/(?:${OWN_KINDS.join('|')})["/])`);
const LOOKED_AT_BYTES = 4096;

/**
 * Rows that are about another account are the answer to another request, mixed up on the way: stored, they would count as this
 * account's. Where a piece of rows names its account at all, its first row does. Text of users cannot look like it: JSON
 * writes their quotes with a backslash. Throws `ApiError`.
 */
export function refuseForeignRows(json: Uint8Array, customer: CustomerId): void {
  const start = Buffer.from(json.buffer, json.byteOffset, Math.min(json.byteLength, LOOKED_AT_BYTES)).toString(
    'latin1',
  );
  const found = OWN_RESOURCE.exec(start)?.[1];
  if (found === undefined || found === customer) return;
  throw foreignAnswer(
    customer,
    found,
    ' Rows are not compared in a query that ends with PARAMETERS omit_unselected_resource_names = true',
  );
}

/** What is said of an answer that is about the account that was found. */
export function foreignAnswer(customer: CustomerId, found: string, more = ''): ApiError {
  const advice = 'If it comes again and again, something on the way mixes answers up: look at the proxy.';
  const text = `The answer for account ${customer} holds rows of account ${found}. ${advice}${more}`;
  return malformed('WRONG_ANSWER', text.replace(/\.$/, ''), true);
}
