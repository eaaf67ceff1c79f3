import type { CustomerId } from './ids.ts';

/** Told how far reading has come, so that somebody who watches sees it. Costs next to nothing; never fails. */
export interface Progress {
  /** Reading begins: so many accounts, with so many slices together. */
  begin(total: { readonly accounts: number; readonly slices: number }): void;
  /** An account is being read from now on. */
  account(customerId: CustomerId, name: string | undefined, slices: number): void;
  /** Rows of it were loaded, and so many bytes of the answer read. */
  rows(customerId: CustomerId, query: string, rows: number, bytes: number): void;
  /** Some of its slices came to their end, or, below zero, there are more than was thought: one was cut in two. */
  slices(customerId: CustomerId, ended: number): void;
  /** All of it was read that can be. */
  accountEnds(customerId: CustomerId): void;
  /** Reading is over. */
  end(): void;
}

/** Nobody watches. */
export const unwatched: Progress = {
  begin: () => undefined,
  account: () => undefined,
  rows: () => undefined,
  slices: () => undefined,
  accountEnds: () => undefined,
  end: () => undefined,
};
