import pMap from 'p-map';
import type { Settings } from '../../config/settings.ts';
import { ApiError, InputError, refusesCredentials } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { parseQuery } from '../../language/gaql/syntax/parse-query.ts';
import { printQuery, withoutAliases } from '../../language/gaql/syntax/print-query.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import {
  type ClientRecord,
  listAccessibleCustomers,
  readChosenClients,
  readClients,
} from '../../services/ads/list-accounts.ts';
import { malformed } from '../../services/http/classify-failure.ts';

export type Tree =
  | {
      readonly kind: 'read';
      readonly root: CustomerId;
      readonly clients: readonly ClientRecord[];
      /** False if the service gave no list of accounts for the root. */
      readonly listed: boolean;
      readonly unusable: readonly string[];
      /** Accounts that `ads.accounts_query` chose. Undefined without this query. */
      readonly chosen?: ReadonlySet<CustomerId>;
    }
  | { readonly kind: 'failed'; readonly root: CustomerId; readonly error: ApiError };

interface Trees {
  readonly trees: readonly Tree[];
  readonly unusable: readonly string[];
}

export const NOT_ENABLED = 'NOT_ENABLED';

async function readTrees(
  ads: AdsConnection,
  chosen: readonly CustomerId[],
  concurrency: number,
  narrow: (roots: readonly CustomerId[]) => readonly CustomerId[],
): Promise<Trees> {
  const read = (root: CustomerId) => readTree(ads, root);
  if (chosen.length > 0) return treesOf(await pMap(narrow([...new Set(chosen)]), read, { concurrency }), []);
  const ofLogin = await readLoginTree(ads);
  if (ofLogin) return treesOf([ofLogin], []);
  const { customers, unusable } = await listAccessibleCustomers(ads);
  return treesOf(await pMap(narrow(customers), read, { concurrency }), unusable);
}

function treesOf(trees: readonly Tree[], listed: readonly string[]): Trees {
  const inTrees = trees.flatMap((tree) => (tree.kind === 'read' ? tree.unusable : []));
  return { trees, unusable: [...new Set([...listed, ...inTrees])] };
}

/** Returns undefined without a login customer, or if the login customer permanently lists no accounts. */
async function readLoginTree(ads: AdsConnection): Promise<Tree | undefined> {
  const root = ads.loginCustomerId;
  if (root === undefined) return undefined;
  try {
    const answer = await readClients(ads, root);
    return answer && answer.clients.length > 0 ? { kind: 'read', root, ...answer, listed: true } : undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.transient ? { kind: 'failed', root, error } : undefined;
  }
}

/** If the service gives no list of accounts for the root, the tree contains only the root. */
export async function readTree(ads: AdsConnection, root: CustomerId): Promise<Tree> {
  const alone = (status: string | undefined): Tree => {
    const client = { customerId: root, level: 0, manager: false, ...UNKNOWN, status };
    return { kind: 'read', root, clients: [client], listed: false, unusable: [] };
  };
  try {
    const answer = await readClients(ads, root);
    return answer && answer.clients.length > 0 ? { kind: 'read', root, ...answer, listed: true } : alone(undefined);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!isNotEnabled(error)) return { kind: 'failed', root, error };
    return alone(NOT_ENABLED);
  }
}

export const UNKNOWN = { name: undefined, currency: undefined, timeZone: undefined };

export function isNotEnabled({ details }: ApiError): boolean {
  return details.some(({ code }) => code === 'authorizationError.CUSTOMER_NOT_ENABLED');
}

/** `login` is the manager through which requests reach the account, or the account itself. */
export interface Way {
  readonly client: ClientRecord;
  readonly login: CustomerId;
}

/** Throws `InputError` for refused credentials, and `ApiError` if the accessible customers cannot be listed. */
export async function readAllTrees(
  settings: Pick<Settings, 'ads' | 'extract'>,
  ads: AdsConnection,
  narrow: (roots: readonly CustomerId[]) => readonly CustomerId[],
): Promise<Trees> {
  try {
    const { concurrency } = settings.extract;
    const { trees: read, unusable } = await readTrees(ads, settings.ads.customerIds, concurrency, narrow);
    const trees = await pMap(read, (tree) => withChosen(ads, tree, settings.ads.accountsQuery), { concurrency });
    const errors = trees.flatMap((tree) => (tree.kind === 'failed' ? [tree.error] : []));
    const [first] = errors;
    // If every account in the settings refuses the credentials, the settings are wrong.
    const unlisted = settings.ads.customerIds.length > 0;
    if (first && unlisted && errors.length === trees.length && errors.every(refusesCredentials)) throw first;
    return { trees, unusable };
  } catch (error) {
    throw refusesCredentials(error) ? wrongCredentials(error) : error;
  }
}

/** If the query fails, the tree counts as failed, because the chosen accounts are unknown. */
async function withChosen(ads: AdsConnection, tree: Tree, query: string | undefined): Promise<Tree> {
  if (query === undefined || tree.kind === 'failed') return tree;
  const { root, clients } = tree;
  // The service refuses all queries to an account that is not enabled.
  if (clients.every(({ status }) => status === NOT_ENABLED)) return tree;
  try {
    const text = printQuery(withoutAliases(parseQuery(query).tree));
    return { ...tree, chosen: await readChosenClients(ads, root, text) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = `ads.accounts_query failed at account ${root}, so it and the accounts below it are neither read nor changed: ${error.message}`;
    return { kind: 'failed', root, error: new ApiError(message, { ...error, cause: error }) };
  }
}

export const NOT_CHOSEN = 'not chosen by ads.accounts_query';

/** Without `ads.accounts_query`, every account is chosen. */
export function isChosenIn(trees: readonly Tree[]): (id: CustomerId) => boolean {
  const chosen = trees.flatMap((tree) => (tree.kind === 'read' && tree.chosen ? [tree.chosen] : []));
  const isQueried = chosen.length > 0;
  return (id) => !isQueried || chosen.some((ids) => ids.has(id));
}

/** For each account, chooses the root with the fewest managers between root and account. */
export function findWays(
  ads: AdsConnection,
  trees: readonly Tree[],
  of: 'accounts' | 'accounts_and_managers' = 'accounts',
): Map<CustomerId, Way> {
  const ways = new Map<CustomerId, Way>();
  // `NOT_ENABLED` ranks last, because the service then gave no facts about the account.
  const rank = ({ level, status }: ClientRecord) => (status === NOT_ENABLED ? Number.POSITIVE_INFINITY : level);
  for (const tree of [...trees].sort((one, other) => byId({ customerId: one.root }, { customerId: other.root }))) {
    if (tree.kind === 'failed') continue;
    for (const client of tree.clients) {
      const known = ways.get(client.customerId);
      if ((client.manager && of === 'accounts') || (known && rank(known.client) <= rank(client))) continue;
      ways.set(client.customerId, { client, login: ads.loginCustomerId ?? tree.root });
    }
  }
  return ways;
}

export const UNUSABLE_NUMBER = 'the account was left out, because its number does not fit into 64 bits.';

export function byId(one: { readonly customerId: string }, other: { readonly customerId: string }): number {
  return Number(BigInt(one.customerId) - BigInt(other.customerId));
}

function wrongCredentials(error: ApiError): InputError {
  return new InputError(error.message, { ...(error.nextStep ? { nextStep: error.nextStep } : {}), cause: error });
}

type ListedTree = Extract<Tree, { readonly kind: 'read' }>;

/** Also excludes all accounts below excluded managers. Throws `ApiError` if these accounts are unknown. */
export async function excludeAccounts(
  ads: AdsConnection,
  excluded: readonly CustomerId[],
  trees: readonly Tree[],
): Promise<ReadonlySet<CustomerId>> {
  const listed = trees.filter((tree): tree is ListedTree => tree.kind === 'read' && tree.listed);
  const ids = new Set(excluded);
  for (const id of excluded) {
    try {
      for (const { customerId } of await clientsBelow(ads, id, listed)) ids.add(customerId);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ApiError(`The accounts below the excluded account ${id} are unknown: ${error.message}`, {
        ...error,
        nextStep:
          'pacekeeper reads no account and changes no budget until they are known. ' +
          `Check that the credentials reach ${id}, or remove it from ads.exclude_customer_ids.`,
        cause: error,
      });
    }
  }
  return ids;
}

async function clientsBelow(
  ads: AdsConnection,
  id: CustomerId,
  listed: readonly ListedTree[],
): Promise<readonly ClientRecord[]> {
  const own = listed.find(({ root }) => root === id);
  if (own) return own.clients;
  const above = listed.find(({ clients }) => clients.some(({ customerId }) => customerId === id));
  if (above?.clients.some(({ customerId, manager }) => customerId === id && !manager)) return [];
  const answer = await askEachWay(ads, id, ads.loginCustomerId ?? above?.root ?? id);
  // A service without lists of clients has no manager accounts.
  if (answer === undefined && listed.length === 0) return [];
  const { clients = [] } = answer ?? {};
  if (clients.some(({ customerId }) => customerId === id)) return clients;
  throw malformed('MALFORMED', `The list of clients does not contain ${id}`, false);
}

/** After a refusal through the login customer, asks the account directly. */
async function askEachWay(ads: AdsConnection, id: CustomerId, login: CustomerId): ReturnType<typeof readClients> {
  ads.logins.set(id, login);
  try {
    return await readClients(ads, id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.transient || login === id) throw error;
    ads.logins.set(id, id);
    return readClients(ads, id);
  }
}
