import { type Client, flatTree } from '../src/sandbox/ads/account-tree.ts';
import { searchStream } from '../src/sandbox/ads/search-stream.ts';
import { openSandboxStore } from '../src/sandbox/sandbox-store.ts';
import type { AdsCall, AdsService } from '../src/sandbox/service.ts';
import { type AccountSize, bigAccount } from './big-account.ts';
import type { Totals } from './totals.ts';

export interface SandboxAnswer {
  /** Of the response, the elements of its array. */
  readonly batches: Iterable<string>;
  /** What they hold; complete once all of them were taken. */
  readonly totals: () => Totals;
}

/** The sandbox's answer to a query about an account of this size, at this time. Throws when it refuses the query. */
export function sandboxAnswer(size: AccountSize, query: string, nowMs: number): SandboxAnswer {
  const { account, market, totals } = bigAccount(size);
  const clock = { now: () => nowMs };
  const service: AdsService = {
    ...{ clock, seed: 1, strict: false, market, tree: flatTree(market), store: openSandboxStore(':memory:') },
  };
  const client: Client = { account, manager: false, status: 'ENABLED', hidden: false };
  const call: AdsCall = { version: 'v25', account, client, requestId: 'bench', body: { query } };
  const { body } = searchStream(service, call);
  if (body.kind !== 'batches') throw new Error(`The sandbox refused the query: ${body.text}`);
  return { batches: body.batches, totals };
}
