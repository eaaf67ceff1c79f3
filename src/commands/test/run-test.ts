import { testData } from '../../engine/evaluate/test-data.ts';
import { CUSTOMER } from '../../storage/columns/budget-columns.ts';
import { type Column, count, json, state, text } from '../../storage/columns/column.ts';
import { TEST_WORDS } from '../../storage/columns/state-words.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import type { TestFinding } from '../../storage/records/runs/data-test-table.ts';
import { oneList } from '../../views/kit/listing.ts';
import { count as counted } from '../../views/text/text-layout.ts';
import { chooseInputs } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { TestOptions } from './test-command.ts';

/** Records nothing: the next report tests again, and stops what must not run. */
export async function runTest(app: CommandApp<'state'>, { customer = [], format }: TestOptions): Promise<number> {
  const { tests } = await chooseInputs(app, {});
  const findings = await app.open(async (opened) => {
    const known = await allAccounts(opened.state.db);
    const asked = known.filter(({ customerId }) => customer.length === 0 || customer.includes(customerId));
    return testData(opened, tests, asked);
  });
  app.output.stdout.write(listingIn(format, TESTS, findings, app.output));
  return findings.some(isError) ? EXIT.failed : EXIT.done;
}

const isError = ({ severity, state }: TestFinding): boolean => severity === 'error' && state !== 'passed';

const ROWS_SHOWN = 3;

const COLUMNS: readonly Column<TestFinding>[] = [
  text('table', 'The query or model that is tested.', 'table', { title: 'Table', stays: true }),
  text('name', 'The name of the test.', 'name', { title: 'Test', wraps: true, stays: true }),
  state('severity', 'error (it stops the rules and targets that read the table) or warn.', 'severity', {
    title: 'Severity',
  }),
  state('state', 'passed, failed or unknown (it could not be run).', 'state', {
    title: 'State',
    stays: true,
    word: (finding) => TEST_WORDS[finding.state],
  }),
  { ...CUSTOMER, title: 'Account', meaning: 'The account; empty if the test passed, or names no account.' },
  count('failures', 'The number of rows that break the test.', 'failures', { title: 'Rows' }),
  text('claim', 'The claim that all rows must satisfy.', 'claim', { title: 'Expected', long: true }),
  text('reason', 'Why the test could not be run.', 'reason', { title: 'Why', long: true }),
  json('first_rows', 'Up to a hundred of the rows, as objects.', ({ firstRows }) => JSON.parse(firstRows) as unknown, {
    title: 'For example',
    long: 'lines',
    shown: ({ firstRows }) =>
      (JSON.parse(firstRows) as Readonly<Record<string, unknown>>[])
        .slice(0, ROWS_SHOWN)
        .map((row) =>
          Object.entries(row)
            .map(([name, value]) => `${name} ${value ?? 'NULL'}`)
            .join(', '),
        )
        .join('\n'),
  }),
];

export const TESTS = oneList({
  name: 'test',
  about: 'One row for each account whose rows break a test, or one row of a test without such an account.',
  evident: ['name'],
  none: 'There is no test of data, or no account was read yet. To write one, see docs/data-tests.md.',
  columns: COLUMNS,
  after: (findings) => {
    const names = (wanted: (one: TestFinding) => boolean) =>
      new Set(findings.filter(wanted).map(({ table, name }) => `${table} ${name}`)).size;
    if (findings.length === 0) return [];
    const failed = names(isError);
    return [
      `${counted(
        names(() => true),
        'test',
      )}, ${counted(failed, 'error')}.`,
    ];
  },
});
