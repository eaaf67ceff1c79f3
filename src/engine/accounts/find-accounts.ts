import pMap from 'p-map';
import { ApiError, explainFailure, InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { ClientRecord } from '../../services/ads/list-accounts.ts';
import { readCurrencyUnits, readCustomer } from '../../services/ads/read-account.ts';
import { isGivenUp } from '../../services/http/classify-failure.ts';
import { wasUnitRefused } from '../../storage/records/budgets/intent-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import {
  type Account,
  allAccounts,
  knownAccount,
  knownAccountsThrough,
  upsertAccounts,
} from '../../storage/records/runs/account-table.ts';
import { claimTarget } from '../../storage/records/runs/target-table.ts';
import type { App, AreasApp } from '../app.ts';
import {
  byId,
  excludeAccounts,
  findWays,
  isChosenIn,
  isNotEnabled,
  NOT_CHOSEN,
  NOT_ENABLED,
  readAllTrees,
  type Tree,
  UNKNOWN,
  UNUSABLE_NUMBER,
  type Way,
} from './account-trees.ts';
import { unknownInSettings } from './unknown-names.ts';

/** `found` includes accounts with a failure. `leftOut` contains accounts that are skipped on purpose. */
interface FoundAccounts {
  readonly found: readonly RunAccount[];
  readonly leftOut: readonly RunAccount[];
  readonly failures: readonly string[];
  readonly notes: readonly string[];
}

export const NO_ACCOUNTS: FoundAccounts = { found: [], leftOut: [], failures: [], notes: [] };

/** If the accounts cannot be listed, returns a failure instead of throwing an error. */
export async function findAccounts(
  app: App,
  ads: AdsConnection,
  only: readonly CustomerId[],
  absent?: Absent,
): Promise<FoundAccounts> {
  let discovery: Discovery;
  try {
    discovery = await discoverAccounts(app, ads, only, absent);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const failure = `The accounts could not be listed, so none was read: ${explainFailure(error)}`;
    return { ...NO_ACCOUNTS, failures: [failure] };
  }
  const { accounts, unusable, notes } = discovery;
  const found = accounts.filter(({ leftOut }) => leftOut === undefined);
  const isUnchosen = accounts.some((account) => account.isUnchosen);
  const isNobodyChosen = only.length === 0 && found.length === 0 && isUnchosen;
  const failures = [
    ...found.flatMap(({ customerId, failure }) => (failure ? [`Account ${customerId}: ${failure}`] : [])),
    ...unusable.map((number) => `Account ${number}: ${UNUSABLE_NUMBER}`),
    ...(isNobodyChosen ? [NOBODY_CHOSEN] : []),
  ];
  if (failures.length === 0 || found.some(({ failure }) => failure === undefined)) {
    await claimTarget(app.state, { identity: app.target, kind: app.settings.target });
  }
  return { found, leftOut: accounts.filter(({ leftOut }) => leftOut !== undefined), failures, notes };
}

const NOBODY_CHOSEN =
  'ads.accounts_query chose no account, so none was read or changed. To see all, run pacekeeper accounts.';

export function accountNotes(ads: AdsConnection | undefined, accounts: FoundAccounts): readonly string[] {
  const { found, leftOut, failures, notes } = accounts;
  if (!ads || found.length > 0 || leftOut.length > 0 || failures.length > 0) return notes;
  return [
    'No account found. Managers and excluded accounts do not count. Check ADS_LOGIN_CUSTOMER_ID, or set ADS_CUSTOMER_IDS.',
  ];
}

export function requireAds({ ads }: Pick<AreasApp, 'ads'>, without: string): AdsConnection {
  if (ads) return ads;
  throw new InputError(`The advertising interface is not configured, so ${without}.`, {
    nextStep: 'Set ADS_URL and its credentials (docs/configuration.md).',
  });
}

/** The run skips an account with a `failure`. */
export interface RunAccount extends Account {
  readonly failure: string | undefined;
  readonly failedByStop?: boolean;
  /** The reason to skip the account on purpose, for example its status. */
  readonly leftOut: string | undefined;
  readonly isUnchosen?: boolean;
}

type Deps = Pick<App, 'settings' | 'state' | 'clock'>;

interface Discovery {
  readonly accounts: readonly RunAccount[];
  readonly unusable: readonly string[];
  /** Warnings about settings that name unknown accounts. */
  readonly notes: readonly string[];
}

type Absent = 'refused' | 'skipped';

/** Throws `InputError` for refused credentials or an unusable account in `only`, and `ApiError` if listing fails. */
export async function discoverAccounts(
  app: Deps,
  ads: AdsConnection,
  only: readonly CustomerId[],
  absent: Absent = 'refused',
): Promise<Discovery> {
  const { settings, state } = app;
  const narrow = (roots: readonly CustomerId[]) => {
    const enough = settings.ads.excludeCustomerIds.length === 0 && only.every((id) => roots.includes(id));
    return only.length > 0 && enough ? roots.filter((id) => only.includes(id)) : roots;
  };
  const { trees, unusable } = await readAllTrees(settings, ads, narrow);
  const excluded = await excludeAccounts(ads, settings.ads.excludeCustomerIds, trees);
  const ways = findWays(ads, trees);
  for (const id of excluded) ways.delete(id);
  for (const [id, { login }] of ways) ads.logins.set(id, login);

  const isWanted = (id: CustomerId) => !excluded.has(id) && (only.length === 0 || only.includes(id));
  const wanted = [...ways.values()].filter(({ client }) => isWanted(client.customerId));
  const isChosen = isChosenIn(trees);
  const { concurrency } = settings.extract;
  const each = await pMap(wanted, (way) => readAccount(app, ads, way, isChosen), { concurrency });
  const read = await withBudgetUnits(state.db, ads, each);
  const asked = only.filter((id) => !excluded.has(id));
  const failed = await failedAccounts(app, trees, ways, asked);
  const refuses = absent === 'refused';
  if (refuses) refuseAbsent(only, [...ways.keys()], failed, trees, excluded);
  const accounts = [...read, ...failed.filter(({ customerId }) => isWanted(customerId))].sort(byId);
  if (refuses && only.length > 0) refuseLeftOut(accounts);
  const usable = read.filter(({ failure }) => failure === undefined);
  await upsertAccounts(state.db, usable, app.clock.now());
  const isWhole = only.length === 0 && trees.every(({ kind }) => kind === 'read');
  const known = [...ways.keys(), ...excluded, ...clientsOf(trees).map(({ customerId }) => customerId)];
  return { accounts, unusable, notes: isWhole ? unknownInSettings(settings, known) : [] };
}

async function readAccount(
  { settings, state }: Deps,
  ads: AdsConnection,
  { client, login }: Way,
  isChosen: (id: CustomerId) => boolean,
): Promise<RunAccount> {
  const { customerId, status } = client;
  const configured = settings.accounts.get(customerId);
  const loginCustomerId = login === customerId ? undefined : login;
  const account = {
    customerId,
    name: client.name,
    loginCustomerId,
    status,
    currency: client.currency ?? configured?.currency,
    timeZone: client.timeZone ?? configured?.timeZone,
    failure: undefined,
    leftOut: undefined,
  };
  if (status !== undefined && status !== 'ENABLED') {
    return { ...account, leftOut: status === NOT_ENABLED ? 'not enabled' : status };
  }
  if (!isChosen(customerId)) return { ...account, leftOut: NOT_CHOSEN, isUnchosen: true };
  // If the status is unknown, the request below shows whether the account is enabled.
  if (status !== undefined && account.currency !== undefined && account.timeZone !== undefined) return account;
  try {
    const answer = await readCustomer(ads, customerId);
    if (answer === undefined) return account;
    const { name, currency, timeZone } = answer;
    return {
      ...account,
      name: account.name ?? name,
      currency: account.currency ?? currency,
      timeZone: account.timeZone ?? timeZone,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isNotEnabled(error)) return { ...account, status: NOT_ENABLED, leftOut: 'not enabled' };
    const known = await knownAccount(state.db, customerId);
    const { currency = known?.currency, timeZone = known?.timeZone } = account;
    return { ...account, currency, timeZone, failure: explainFailure(error), failedByStop: isGivenUp(error) };
  }
}

/** Includes accounts in `asked` that were not found, because a failed root may contain them. */
async function failedAccounts(
  { settings, state }: Deps,
  trees: readonly Tree[],
  ways: ReadonlyMap<CustomerId, Way>,
  asked: readonly CustomerId[],
): Promise<RunAccount[]> {
  const seen = new Set([...ways.keys(), ...clientsOf(trees).map(({ customerId }) => customerId)]);
  const failed: RunAccount[] = [];
  for (const tree of trees) {
    if (tree.kind === 'read' || seen.has(tree.root)) continue;
    const { root, error } = tree;
    const known = (await knownAccount(state.db, root)) ?? { ...UNKNOWN, customerId: root };
    const below = (await knownAccountsThrough(state.db, root)).filter(({ customerId }) => !seen.has(customerId));
    const why = explainFailure(error);
    const add = (account: Account, failure: string, failedByStop: boolean) => {
      const configured = settings.accounts.get(account.customerId);
      const currency = account.currency ?? configured?.currency;
      const timeZone = account.timeZone ?? configured?.timeZone;
      failed.push({ ...account, currency, timeZone, failure, failedByStop, leftOut: undefined });
    };
    add(known, why, isGivenUp(error));
    for (const account of below) add(account, `The manager account ${root} could not be read.`, false);
  }
  const silent = trees.filter(({ kind }) => kind === 'failed').map(({ root }) => root);
  const isKnown = (id: CustomerId) => seen.has(id) || failed.some(({ customerId }) => customerId === id);
  for (const customerId of silent.length === 0 ? [] : asked.filter((id) => !isKnown(id))) {
    const failure = `The account was not found, and ${silent.join(', ')} could not be read.`;
    failed.push({ ...UNKNOWN, customerId, failure, leftOut: undefined });
  }
  return failed;
}

function refuseLeftOut(accounts: readonly RunAccount[]): void {
  const idle = accounts.flatMap(({ customerId, leftOut, isUnchosen }) =>
    leftOut && !isUnchosen ? [`${customerId} (${leftOut})`] : [],
  );
  const unchosen = accounts.flatMap(({ customerId, isUnchosen }) => (isUnchosen ? [customerId] : []));
  if (unchosen.length > 0) {
    throw new InputError(`These accounts are ${NOT_CHOSEN}: ${unchosen.join(', ')}.`, {
      nextStep: 'Name another account with --customer, or change the query or the labels.',
    });
  }
  if (idle.length === 0) return;
  throw new InputError(`These accounts are not active at the service: ${idle.join(', ')}.`, {
    nextStep: 'Name another account with --customer.',
  });
}

const NAMES_MAX = 20;

function refuseAbsent(
  only: readonly CustomerId[],
  reached: readonly CustomerId[],
  failed: readonly RunAccount[],
  trees: readonly Tree[],
  excluded: ReadonlySet<CustomerId>,
): void {
  const known = new Set([...reached, ...failed.map(({ customerId }) => customerId)]);
  const absent = only.filter((id) => excluded.has(id) || !known.has(id));
  if (absent.length === 0) return;
  const clients = clientsOf(trees);
  const reasons = absent.map((id) => {
    if (excluded.has(id)) return `Account ${id} is excluded by ads.exclude_customer_ids.`;
    if (clients.some(({ customerId, manager }) => manager && customerId === id)) {
      return `${id} is a manager account without statistics. Name accounts below it.`;
    }
    return `No such account: ${id}. Accessible accounts: ${listOf(reached)}.`;
  });
  throw new InputError(reasons.join('\n'), { nextStep: 'Name an accessible account with --customer.' });
}

function clientsOf(trees: readonly Tree[]): ClientRecord[] {
  return trees.flatMap((tree) => (tree.kind === 'read' ? tree.clients : []));
}

function listOf(ids: readonly CustomerId[]): string {
  if (ids.length === 0) return 'none';
  const more = ids.length > NAMES_MAX ? ` and ${ids.length - NAMES_MAX} more` : '';
  return `${ids.slice(0, NAMES_MAX).join(', ')}${more}`;
}

interface Asked extends Account {
  readonly failure: string | undefined;
  readonly leftOut: string | undefined;
}

/**
 * Asks once for all accounts, because they share currencies, and only if a unit is unknown or was refused. Otherwise, the
 * last answer counts, unless the account has another currency now. A wrong unit does no harm: the service refuses the amount.
 */
async function withBudgetUnits<One extends Asked>(
  db: StateDb,
  ads: AdsConnection,
  accounts: readonly One[],
): Promise<One[]> {
  const known = new Map((await allAccounts(db)).map((account) => [account.customerId, account]));
  const keptOf = ({ customerId, currency }: One) => {
    const before = known.get(customerId);
    return before?.currency === currency ? before?.budgetUnitMicros : undefined;
  };
  const usable = accounts.filter(({ failure, leftOut }) => failure === undefined && leftOut === undefined);
  const first = usable.find((one) => keptOf(one) === undefined) ?? ((await wasUnitRefused(db)) ? usable[0] : undefined);
  const units = first && (await unitsAskedOf(ads, first.customerId));
  return accounts.map((account) => ({
    ...account,
    budgetUnitMicros: units?.get(account.currency ?? '') ?? keptOf(account),
  }));
}

async function unitsAskedOf(
  ads: AdsConnection,
  customer: CustomerId,
): Promise<ReadonlyMap<string, Micros> | undefined> {
  try {
    return await readCurrencyUnits(ads, customer);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}
