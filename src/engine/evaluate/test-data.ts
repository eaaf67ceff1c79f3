import { civilDateAt } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { capitalised, grouped, listed } from '../../domain/wording.ts';
import { type Rule, tablesOfRule } from '../../language/rules/rule.ts';
import type { Account } from '../../storage/records/runs/account-table.ts';
import { recordTests, type TestFinding, testFindings, testKey } from '../../storage/records/runs/data-test-table.ts';
import { selectModel } from '../../storage/warehouse/models/model.ts';
import { ModelFailure } from '../../storage/warehouse/models/model-failure.ts';
import { CUSTOMER_COLUMN, storedQueries } from '../../storage/warehouse/query-table.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import type { CheckedTest, Inputs } from '../load-inputs.ts';
import { calendarOfReads, lastSettledDay } from '../read/day-state.ts';

/**
 * Runs the tests over the rows that are kept now, for these accounts. A test that cannot be run, for example because it is
 * slow, proves nothing about the rows. So it counts like an error of all accounts: a budget must not rest on unproven rows.
 * A finding is of one account with failing rows, or of no account.
 */
export async function testData(
  app: Pick<App, 'state' | 'clock' | 'settings'>,
  tests: readonly CheckedTest[],
  accounts: readonly Pick<Account, 'customerId' | 'timeZone'>[],
): Promise<TestFinding[]> {
  const customers = accounts.map(({ customerId }) => customerId);
  if (tests.length === 0 || customers.length === 0) return [];
  const kept = new Set((await storedQueries(app.state.db)).map(({ name }) => name));
  const rows = app.state.warehouse.modelRows(app.settings.models);
  const findings: TestFinding[] = [];
  try {
    for (const test of tests) findings.push(...(await testOne(test)));
  } finally {
    rows.close();
  }
  return findings;

  async function testOne(test: CheckedTest): Promise<TestFinding[]> {
    const { table, name, severity, claim, model } = test;
    const about = { table, name, severity, claim };
    const ofNone = { ...about, customerId: undefined, failures: 0n, firstRows: '[]' };
    const unread = model.tables.find((one) => !kept.has(one.name));
    if (unread) return [{ ...ofNone, state: 'unknown', reason: `${unread.name} was never read` }];
    const sql = test.failing(accounts.map((account) => testedAccount(app, test, account)));
    try {
      const { counts, first } = await rows.failing({
        name: model.name,
        select: (schemas) => selectModel({ ...model, sql }, schemas),
        hasAccount: model.columns.some((column) => column.name === CUSTOMER_COLUMN),
        customers,
      });
      if (counts.length === 0) return [{ ...ofNone, state: 'passed', reason: undefined }];
      return counts.map(({ customerId, rows: failures }) => {
        const own = first.filter((one) => customerId === undefined || one.customerId === customerId);
        const firstRows = `[${own.map(({ row }) => row).join(',')}]`;
        return { ...about, customerId, state: 'failed', failures, firstRows, reason: undefined };
      });
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      return [{ ...ofNone, state: 'unknown', reason: error.message }];
    }
  }
}

export interface TestedRun {
  /** Findings of the tests that ran. */
  readonly findings: readonly TestFinding[];
  /** Last findings of tests that did not run, because their queries were not chosen. */
  readonly earlier: readonly TestFinding[];
}

export const NOT_TESTED: TestedRun = { findings: [], earlier: [] };

/** Also records the findings, unless nothing may be recorded. Accounts that could not be found are left out. */
export async function testRunData(
  app: App,
  { tests, otherTests = [] }: Pick<Inputs, 'tests' | 'otherTests'>,
  accounts: readonly RunAccount[],
  dryRun: boolean,
): Promise<TestedRun> {
  const found = accounts.filter(({ failure }) => failure === undefined);
  const findings = (await testData(app, tests, found)).map((finding) => ({
    ...finding,
    firstRows: app.redact(finding.firstRows),
    reason: finding.reason && app.redact(finding.reason),
  }));
  const others = new Set(otherTests.map(testKey));
  const earlier = (await testFindings(app.state.db)).filter((finding) => others.has(testKey(finding)));
  if (!dryRun) {
    const customers = found.map(({ customerId }) => customerId);
    await recordTests(app.state.db, { findings, others }, customers, app.clock.now());
  }
  return { findings, earlier };
}

function testedAccount(
  { settings, clock }: Pick<App, 'settings' | 'clock'>,
  { model }: CheckedTest,
  { customerId, timeZone = 'UTC' }: Pick<Account, 'customerId' | 'timeZone'>,
) {
  const nowMs = clock.now();
  const calendar = calendarOfReads(settings.extract, { reads: model.tables }, timeZone);
  return { customerId, today: civilDateAt(nowMs, timeZone), lastComplete: lastSettledDay(nowMs, calendar) };
}

/** Why rules must not be evaluated in an account, by the table with the error. */
export type DataErrors = ReadonlyMap<string, string>;

/** Errors that concern the account: its own, and those of tests that name no account. */
export function errorsIn(findings: readonly TestFinding[], customer: CustomerId): DataErrors {
  const errors = new Map<string, string>();
  for (const finding of findings) {
    const { severity, state, table, customerId } = finding;
    if (severity !== 'error' || state === 'passed' || errors.has(table)) continue;
    if (customerId === undefined || customerId === customer) errors.set(table, reasonOf(finding));
  }
  return errors;
}

/** A sentence for each failed test, with the accounts in which it failed and the rules that it stopped there. */
export function testFailures(
  findings: readonly TestFinding[],
  { rules, targets }: Pick<Inputs, 'rules' | 'targets'>,
): string[] {
  return failedTests(findings, 'error').map(({ words, table, accounts }) => {
    const ofTargets = targets.flatMap((target) =>
      accounts.length === 0
        ? [...target.rules.values()].slice(0, 1)
        : accounts.flatMap((id) => target.rules.get(id) ?? []),
    );
    const reading = [...rules, ...ofTargets].filter((rule) => tablesOfRule(rule).includes(table));
    const stopped = [...new Set(reading.map(({ name }) => name))];
    return `${words} ${stopped.length === 0 ? 'No rule reads this table' : `Not evaluated there: ${listed(stopped)}`}.`;
  });
}

export function testNotes(findings: readonly TestFinding[]): string[] {
  return failedTests(findings, 'warn').map(({ words }) => words);
}

const ACCOUNTS_NAMED_MAX = 5;

function failedTests(findings: readonly TestFinding[], severity: TestFinding['severity']) {
  const failed = findings.filter((one) => one.severity === severity && one.state !== 'passed');
  return grouped(failed, testKey).flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const accounts = own.flatMap(({ customerId }) => customerId ?? []);
    const more = accounts.length - ACCOUNTS_NAMED_MAX;
    const named = [...accounts.slice(0, ACCOUNTS_NAMED_MAX), ...(more > 0 ? [`${more} more`] : [])];
    const where =
      accounts.length === 0 ? undefined : `in ${accounts.length === 1 ? 'account' : 'accounts'} ${listed(named)}`;
    const failures = own.reduce((sum, one) => sum + one.failures, 0n);
    return [{ table: first.table, accounts, words: `${capitalised(reasonOf({ ...first, failures }, where))}.` }];
  });
}

/** A clause without a full stop. */
export function reasonOf({ table, name, claim, failures, reason }: TestFinding, where?: string): string {
  if (reason !== undefined) return `the test ${name} of ${table} could not be run: ${reason}`;
  const rows = `${failures.toLocaleString('en-US')} row${failures === 1n ? '' : 's'}`;
  const found = where === undefined ? `failed with ${rows}` : `failed ${where} (${rows})`;
  return `the test ${name} of ${table} ${found}: expected that ${claim}`;
}

/** The reason if the rule reads a table with an error, directly or through models. */
export function stoppedBy(errors: DataErrors, rule: Pick<Rule, 'reads' | 'model'>): string | undefined {
  return tablesOfRule(rule).flatMap((table) => errors.get(table) ?? [])[0];
}
