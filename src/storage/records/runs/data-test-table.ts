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
 * Replaces the findings about these accounts. A run of some accounts says nothing about the others, so their failures stay.
 * So do findings of the tests in `others`, which were not run. Tests that no longer exist are removed.
 */
export function recordTests(
  db: StateDb,
  { findings, others }: { readonly findings: readonly TestFinding[]; readonly others: ReadonlySet<string> },
  customers: readonly CustomerId[],
  nowMs: number,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const tests = new Set(findings.map(testKey));
    const tested = new Set<CustomerId | undefined>([undefined, ...customers]);
    const failing = new Set<string>();
    for (const { id, ...known } of await selectFindings(trx).select('id').execute()) {
      const key = testKey(known);
      const isOld = tests.has(key) ? tested.has(known.customerId) : !others.has(key);
      if (isOld) await trx.deleteFrom('dataTest').where('id', '=', id).execute();
      else failing.add(key);
    }
    const rows = findings
      .filter((finding) => finding.state !== 'passed' || !failing.has(testKey(finding)))
      .map(({ table, ...finding }) => ({ ...finding, tableName: table, testedAt: instantText(nowMs) }));
    for (const some of chunksOf(rows, ROWS_PER_STATEMENT)) await trx.insertInto('dataTest').values(some).execute();
  });
}

/** Tests of a table have different names. */
export const testKey = ({ table, name }: Pick<TestFinding, 'table' | 'name'>): string => `${table} ${name}`;

/** The findings of the last run. */
export function testFindings(db: StateDb): Promise<TestFinding[]> {
  return selectFindings(db).execute();
}

function selectFindings(db: StateDb) {
  return db
    .selectFrom('dataTest')
    .select([
      'tableName as table',
      'name',
      'severity',
      'claim',
      'customerId',
      'state',
      'failures',
      'firstRows',
      'reason',
    ])
    .orderBy('id');
}
