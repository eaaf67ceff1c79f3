import type { KeyObject } from 'node:crypto';
import type { Clock } from '../domain/ports.ts';
import type { AccountTree, Client } from './ads/account-tree.ts';
import type { Container } from './container/answer-container.ts';
import type { IssuedTokens, SandboxCredentials } from './credentials.ts';
import type { Account, Market } from './market/market.ts';
import type { Phones } from './phones.ts';
import type { SandboxStore } from './sandbox-store.ts';
import type { SandboxTemplates } from './templates.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

export interface AdsService {
  readonly clock: Clock;
  readonly seed: number;
  readonly strict: boolean;
  readonly market: Market;
  readonly tree: AccountTree;
  readonly store: SandboxStore;
}

export interface Service extends AdsService {
  readonly credentials: SandboxCredentials;
  readonly tokens: IssuedTokens;
  readonly serviceAccountKey: KeyObject | undefined;
  readonly phones: Phones;
  readonly templates: SandboxTemplates;
  readonly container: Container;
  readonly webhooks: Webhooks;
}

export interface AdsCall {
  readonly version: string;
  readonly account: Account;
  readonly client: Client;
  readonly requestId: string;
  readonly body: Readonly<Record<string, unknown>>;
}
