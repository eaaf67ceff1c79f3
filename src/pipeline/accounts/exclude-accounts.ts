import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import { type ClientRecord, readClients } from '../../apis/ads/list-accounts.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { malformed } from '../../http/classify-failure.ts';
import type { Tree } from './read-trees.ts';

type ListedTree = Extract<Tree, { readonly kind: 'read' }>;

/**
 * Everything that the settings exclude: the accounts they name, and what stands below a manager they name, whichever way
 * it is reached. Throws `ApiError` when nobody says what stands below: any account may then be one that must not be touched.
 */
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
      throw new ApiError(`The accounts below the excluded account ${id} are not known: ${error.message}`, {
        ...error,
        nextStep:
          'Until they are known, no account is read and no budget is changed. ' +
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
  // A service that lists the clients of nobody has no managers.
  if (answer.kind === 'not_offered' && listed.length === 0) return [];
  const clients = answer.kind === 'offered' ? answer.value.clients : [];
  if (clients.some(({ customerId }) => customerId === id)) return clients;
  throw malformed('MALFORMED', `The list of its clients does not name ${id}`, false);
}

/** Through the login customer, and directly where that is refused: another manager may be acted through. */
async function askEachWay(ads: AdsConnection, id: CustomerId, login: CustomerId): ReturnType<typeof readClients> {
  ads.logins.learn(id, login);
  try {
    return await readClients(ads, id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.transient || login === id) throw error;
    ads.logins.learn(id, id);
    return readClients(ads, id);
  }
}
