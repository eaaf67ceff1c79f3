import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import { instantText } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';

/** A finding about one account, or about all accounts if `customerId` is undefined. */
export interface TestFinding {
  readonly table: string;
  readonly name: string;
  readonly severity: StateSchema['dataTest']['severity'];
  readonly claim: string;
  readonly customerId: CustomerId | undefined;
  readonly state: StateSchema['dataTest']['state'];
  /** The number of rows that break the test. */
  readonly failures: bigint;
  /** A JSON list of objects. */
  readonly firstRows: string;
  readonly reason: string | undefined;
}

/**
 * Replaces what was known of these accounts. A run of some accounts says nothing about the others, so their failures stay.
 * Tests that no longer exist are removed.
 */
export function recordTests(
  db: StateDb,
  findings: readonly TestFinding[],
  customers: readonly CustomerId[],
  nowMs: number,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await trx.deleteFrom('dataTest').where('customerId', 'is', null).execute();
    for (const some of chunksOf(customers, ROWS_PER_STATEMENT)) {
      await trx.deleteFrom('dataTest').where('customerId', 'in', some).execute();
    }
    const tests = new Set(findings.map(keyOf));
    const left = new Set<string>();
    for (const { tableName, name } of await trx.selectFrom('dataTest').select(['tableName', 'name']).execute()) {
      const key = keyOf({ table: tableName, name });
      if (tests.has(key)) left.add(key);
      else await trx.deleteFrom('dataTest').where('tableName', '=', tableName).where('name', '=', name).execute();
    }
    const rows = findings
      .filter((finding) => finding.state !== 'passed' || !left.has(keyOf(finding)))
      .map(({ table, ...finding }) => ({ ...finding, tableName: table, testedAt: instantText(nowMs) }));
    for (const some of chunksOf(rows, ROWS_PER_STATEMENT)) await trx.insertInto('dataTest').values(some).execute();
  });
}

const keyOf = ({ table, name }: Pick<TestFinding, 'table' | 'name'>): string => `${table} ${name}`;

/** The findings of the last run. */
export async function testFindings(db: StateDb): Promise<TestFinding[]> {
  const rows = await db.selectFrom('dataTest').selectAll().orderBy('id').execute();
  return rows.map(({ id: _, testedAt: __, tableName: table, ...row }) => ({ ...row, table }));
}
