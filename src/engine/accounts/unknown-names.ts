import { matchesName } from '../../alerts/silence-matches.ts';
import type { Settings } from '../../config/settings.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { nearestNames } from '../../language/gaql/check/suggest.ts';
import { type Account, allAccounts } from '../../storage/records/runs/account-table.ts';
import { firstOf } from '../../views/text/text-layout.ts';
import type { StateApp } from '../app.ts';
import { nameOf, ruleFilesIn } from '../load-inputs.ts';

/** An undefined list means that the existing names are unknown. */
interface KnownNames {
  readonly rules: readonly string[] | undefined;
  readonly accounts: readonly CustomerId[] | undefined;
}

async function knownNames({ state, settings }: StateApp): Promise<KnownNames> {
  const read = (await allAccounts(state.db)).map(({ customerId }) => customerId);
  const accounts = [...new Set([...read, ...settings.accounts.keys(), ...settings.ads.customerIds])];
  return {
    rules: ruleFilesIn(settings.paths.rules)?.map(nameOf),
    accounts: accounts.length === 0 ? undefined : accounts,
  };
}

/** Returns warnings, not errors, because a missing name can be added later. */
export async function unknownInSilence(
  app: StateApp,
  { rule, customerId }: { readonly rule: string | undefined; readonly customerId: CustomerId | undefined },
): Promise<string[]> {
  const named = { rules: rule === undefined ? [] : [rule], accounts: customerId === undefined ? [] : [customerId] };
  return unknownAmong(named, await knownNames(app)).map((one) => `The silence has no effect: ${one}`);
}

export async function unknownInRoutes(app: StateApp): Promise<string[]> {
  const { routes } = app.settings.alerts;
  if (routes.length === 0) return [];
  const known = await knownNames(app);
  return routes.flatMap((route, index) => unknownAmong(route, known).map((one) => `alerts.routes[${index}]: ${one}`));
}

export function unknownInSettings(
  { accounts, budgets }: Pick<Settings, 'accounts' | 'budgets'>,
  known: readonly CustomerId[],
): string[] {
  return Object.entries({ accounts, budgets }).flatMap(([key, byAccount]) => {
    const unknown = [...byAccount.keys()].filter((id) => !known.includes(id));
    return unknown.map((id) => `${key}.${id}: pacekeeper reads no such account.${nearest(id, known)}`);
  });
}

const NAMED_MAX = 5;

/** Text such as "No account 123 is known. Known: Shop (456)." Undefined if all `wanted` accounts are known. */
export function unknownAccounts(
  wanted: readonly CustomerId[],
  accounts: readonly Pick<Account, 'customerId' | 'name'>[],
): string | undefined {
  const known = new Set(accounts.map(({ customerId }) => customerId));
  const unknown = wanted.filter((id) => !known.has(id));
  if (unknown.length === 0) return undefined;
  const names = accounts.map(({ customerId, name }) => (name === undefined ? customerId : `${name} (${customerId})`));
  const there = names.length === 0 ? 'No account was read yet.' : `Known: ${firstOf(names, NAMED_MAX)}.`;
  return `No account ${unknown.join(' or ')} is known. ${there}`;
}

function unknownAmong({ rules = [], accounts = [] }: Partial<KnownNames>, known: KnownNames): string[] {
  return [
    ...rules.flatMap((rule) => unknownRule(rule, known)),
    ...accounts.flatMap((account) => unknownAccount(account, known)),
  ];
}

function unknownRule(pattern: string, { rules }: KnownNames): string[] {
  if (rules === undefined || rules.some((name) => matchesName(pattern, name))) return [];
  return [`no such rule: ${pattern}.${nearest(pattern, rules)}`];
}

function unknownAccount(id: CustomerId, { accounts }: KnownNames): string[] {
  if (accounts === undefined || accounts.includes(id)) return [];
  return [`no such account: ${id}.${nearest(id, accounts)}`];
}

function nearest(name: string, names: readonly string[]): string {
  const [first] = nearestNames(name, names);
  return first === undefined ? '' : ` Did you mean ${first}?`;
}
