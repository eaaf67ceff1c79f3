import type { CivilDate } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';

export const TEST_SEVERITIES = ['warn', 'error'] as const;
export type TestSeverity = (typeof TEST_SEVERITIES)[number];

/** An account whose rows are tested. */
export interface TestedAccount {
  readonly customerId: CustomerId;
  /** Today on the account's clock. */
  readonly today: CivilDate;
  /** The newest day whose numbers are complete. */
  readonly lastComplete: CivilDate;
}

/** Something that all rows of a table must satisfy. */
export interface DataTest {
  /** The query or model whose rules and targets an error stops. */
  readonly table: string;
  /** Unique among the tests of the table. */
  readonly name: string;
  readonly severity: TestSeverity;
  /** The end of a sentence: `no two rows have the same campaign_id`. */
  readonly claim: string;
  /** One SELECT whose rows break the claim, in the SQL of both engines. */
  failing(accounts: readonly TestedAccount[]): string;
}
