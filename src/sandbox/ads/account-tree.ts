import { type CustomerId, customerId } from '../../domain/ids.ts';
import type { Account, Market } from '../market/market.ts';

export interface Client {
  readonly account: Account;
  readonly manager: boolean;
  readonly status: 'ENABLED' | 'CANCELED' | 'SUSPENDED';
  readonly hidden: boolean;
  readonly labels: readonly Label[];
}

export interface Label {
  readonly id: string;
  readonly name: string;
}

const AUTOMATED: Label = { id: '501', name: 'automated' };
const PILOT: Label = { id: '502', name: 'pilot' };
export const LABELS: readonly Label[] = [AUTOMATED, PILOT];
/** Labels of the first three clients, and of the first three campaigns of an account. Others have no labels. */
export const LABELS_BY_PLACE: readonly (readonly Label[])[] = [[AUTOMATED], [AUTOMATED, PILOT], [PILOT]];

export interface LinkedClient {
  readonly client: Client;
  readonly level: number;
}

export interface AccountTree {
  readonly accessible: readonly CustomerId[];
  find(id: string): Client | undefined;
  below(client: Client): readonly LinkedClient[];
  admits(client: Client, login: string | undefined): boolean;
}

const plain = (id: string, name: string): Account => ({
  customerId: customerId(id),
  name,
  currency: 'EUR',
  timeZone: 'Europe/Berlin',
  budgets: [],
  campaigns: [],
  keywords: [],
  openGroups: [],
});

const enabled = (account: Account, manager: boolean, labels: readonly Label[] = []): Client => ({
  account,
  manager,
  status: 'ENABLED',
  hidden: false,
  labels,
});

const ofMarket = ({ accounts }: Market): Client[] =>
  accounts.map((account, place) => enabled(account, false, LABELS_BY_PLACE[place]));

/** A tree without managers: the credentials reach every account directly. */
export function flatTree(market: Market): AccountTree {
  const clients = ofMarket(market);
  return {
    accessible: clients.map(({ account }) => account.customerId),
    find: (id) => clients.find(({ account }) => account.customerId === id),
    below: (client) => [{ client, level: 0 }],
    admits: () => true,
  };
}

export const MANAGER = customerId('7310264895');
export const SUB_MANAGER = customerId('7310264901');

export function managedTree(market: Market): AccountTree {
  const top = enabled(plain(MANAGER, 'Nordlicht Media Manager'), true);
  const sub = enabled(plain(SUB_MANAGER, 'Nordlicht Media International'), true);
  const suspended: Client = { ...enabled(plain('5520917364', 'Bergfreund Outlet'), false), status: 'SUSPENDED' };
  const cancelled: Client = {
    ...enabled(plain('5520917388', 'Alpenkontor Testkonto'), false),
    status: 'CANCELED',
    hidden: true,
  };
  const clients = ofMarket(market);
  const children = new Map<Client, readonly Client[]>([
    [top, [sub, ...clients.filter((_, index) => index % 2 === 0), suspended]],
    [sub, [...clients.filter((_, index) => index % 2 === 1), cancelled]],
  ]);
  const all = [top, sub, ...clients, suspended, cancelled];
  const find = (id: string) => all.find(({ account }) => account.customerId === id);
  const below = (client: Client, level = 0): LinkedClient[] => [
    { client, level },
    ...(children.get(client) ?? []).flatMap((child) => below(child, level + 1)),
  ];
  return {
    accessible: [MANAGER],
    find,
    below: (client) => below(client),
    admits(client, login) {
      if (login === undefined) return client === top;
      const manager = find(login);
      return manager?.manager === true && below(manager).some((linked) => linked.client === client);
    },
  };
}
