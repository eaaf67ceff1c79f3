import type { Totals } from '../totals.ts';

/** What the server of many accounts is told. */
export interface AccountsJob {
  readonly accounts: number;
  /** Of each account, on the days of the query's window together. */
  readonly rowsEach: number;
  /** Before every answer. */
  readonly latencyMs: number;
  /** What the credentials reach by themselves: the manager alone, or every account too. */
  readonly listed: 'manager' | 'all';
}

/** Where the server says what it has sent; no part of the interface. */
export const SENT_PATH = '/sent';

/** What the server has sent, an answer that was asked for again counted once. */
export interface Sent {
  readonly requests: number;
  /** Accounts whose rows were asked for. */
  readonly accounts: number;
  readonly totals: Totals;
}
