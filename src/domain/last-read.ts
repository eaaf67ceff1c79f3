/** How old what is known of an account in a query's table is. */
export interface LastRead {
  /** When it was last read, an instant, UTC; undefined where it never was. */
  readonly at: string | undefined;
  /** Why the newest try since then failed; undefined where it did not. */
  readonly failure: string | undefined;
}
