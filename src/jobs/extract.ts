import type { App } from '../app.ts';
import type { DateRange } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { fixedToItsWindow } from '../gaql/check/query-for-range.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { offerFailures, offerNotes, sliceFailures } from '../report/describe-results.ts';
import type { ReportResult } from '../report/report-result.ts';
import { ensureQueryTable } from '../warehouse/evolve-table.ts';
import { extractAccounts } from './extract-accounts.ts';
import { extractionNotes } from './extraction-notes.ts';
import { accountNotes, findAccounts } from './find-accounts.ts';
import type { Inputs } from './load-inputs.ts';
import type { ExtractionScope } from './plan-extraction.ts';
import { recordedRun, type Work } from './recorded-run.ts';
import { refuseOtherDays } from './refuse-other-days.ts';
import { sumUp } from './sum-up.ts';

export interface ExtractOptions {
  /** Only these accounts; empty for all. */
  readonly customers: readonly CustomerId[];
  readonly scope: ExtractionScope;
  /** Whether somebody named the queries. */
  readonly named?: boolean;
}

const NOTHING_DECIDED = { rules: [], decisions: [], settled: [], messages: [] };

/**
 * Reads, and publishes what the tables hold then; no rule is evaluated, no budget changed, no message sent. Throws
 * `InputError` for what the user must mend first.
 */
export async function extract(app: App, inputs: Inputs, options: ExtractOptions): Promise<ReportResult> {
  refuseOtherDays(app, inputs.queries, options.scope);
  return recordedRun(app, { command: 'extract', dryRun: false }, (runId, told) =>
    workThrough(told, runId, inputs, options),
  );
}

async function workThrough(app: App, runId: bigint, inputs: Inputs, options: ExtractOptions): Promise<Work> {
  const { ads } = app;
  if (!ads) {
    throw new InputError('The advertising interface is not configured, so there is nothing to read from.', {
      nextStep: 'Set ADS_URL and its credentials; docs/configuration.md lists them.',
    });
  }
  const accounts = await findAccounts(app, ads, options.customers);
  for (const query of inputs.queries) await ensureQueryTable(app.state, query);
  const { scope, named = false } = options;
  const queries = scope.kind === 'range' ? inputs.queries.filter((query) => !fixedToItsWindow(query)) : inputs.queries;
  const scopeNotes = await extractionNotes(app, queries, accounts.found, scope, options.customers.length === 0);
  const slices = await extractAccounts(app, ads, runId, { ...inputs, queries, accounts: accounts.found, scope });
  const leftOut = inputs.queries.filter((query) => !queries.includes(query));
  const notes = [
    ...app.settings.notes,
    ...leftOut.map((query) => `${query.name} was left out: ${fixedToItsWindow(query)}.`),
    ...scopeNotes,
    ...accountNotes(ads, accounts),
    ...(named ? [] : offerNotes(slices)),
  ];
  const lacking = named ? offerFailures(slices) : [];
  const failures = [...accounts.failures, ...sliceFailures(slices), ...lacking].map(app.redact);
  return {
    ...NOTHING_DECIDED,
    ...{ notes, slices, failures },
    accounts: [...accounts.found, ...accounts.leftOut],
    totals: scope.kind === 'window' ? sumUp(app, queries, accounts.found) : [],
  };
}

/** Refuses queries that were named and cannot be asked for other days than their own. */
export function refuseFixedWindows(
  queries: readonly QueryFile[],
  named: readonly string[],
  range: DateRange | undefined,
): void {
  if (range === undefined) return;
  for (const query of queries) {
    const reason = fixedToItsWindow(query);
    if (reason === undefined || (named.length === 0 && queries.some((one) => !fixedToItsWindow(one)))) continue;
    throw new InputError(`${query.name} cannot be read for ${range.from} to ${range.to}: ${reason}.`, {
      nextStep: 'Leave --from and --to away to read its own window, or name other queries with --query.',
    });
  }
}
