import type { DateRange } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { accountNotes, findAccounts, type RunAccount } from '../../engine/accounts/find-accounts.ts';
import type { App } from '../../engine/app.ts';
import type { Inputs } from '../../engine/load-inputs.ts';
import { withWorkers } from '../../engine/queue/shared-work.ts';
import { accountToday } from '../../engine/read/day-state.ts';
import { extractAccounts } from '../../engine/read/extract-accounts.ts';
import {
  type ExtractionScope,
  isOf,
  refuseBeyondRetention,
  refuseOtherDays,
} from '../../engine/read/plan-extraction.ts';
import { sumUp } from '../../engine/read/sum-up.ts';
import { recordedRun, type Work } from '../../engine/recorded-run.ts';
import { fixedToItsWindow } from '../../language/gaql/check/query-for-range.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { ReportResult } from '../../language/results/report-result.ts';
import { type PlannedSlice, unfinishedSlices } from '../../storage/records/runs/slice-table.ts';
import { ensureQueryTable } from '../../storage/warehouse/evolve-table.ts';
import { offerFailures, offerNotes, sliceFailures } from '../../views/report/describe-results.ts';
import { chooseInputs } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { rangeOf } from '../cli/common-options.ts';
import { tellRun } from '../cli/tell-run.ts';
import type { ExtractOptions } from './extract-command.ts';

export async function runExtract(app: CommandApp<'all'>, options: ExtractOptions): Promise<number> {
  const { settings, clock } = app;
  const { query = [], customer: customers = [], resume = false, format } = options;
  const range = rangeOf(options);
  // The days of a replayed market are still unknown here.
  const isReplayed = settings.target === 'sandbox' && settings.sandbox.market !== undefined;
  if (!isReplayed) refuseBeyondRetention(resume ? undefined : range, clock.now());
  const inputs = await chooseInputs(app, options);
  refuseFixedWindows(inputs.queries, query, range);
  const job = { customers, scope: scopeOf(resume, range), named: query.length > 0 };
  return tellRun(app, format, await app.open((opened) => extract(opened, inputs, job)));
}

function scopeOf(resume: boolean, range: DateRange | undefined): ExtractionScope {
  if (resume) return { kind: 'resume', range };
  return range === undefined ? { kind: 'window' } : { kind: 'range', range };
}

export interface ReadOrder {
  readonly customers: readonly CustomerId[];
  readonly scope: ExtractionScope;
  readonly named?: boolean;
}

const NOTHING_DECIDED = { rules: [], decisions: [], settled: [], messages: [] };

/** Throws `InputError` for user mistakes. */
export async function extract(app: App, inputs: Inputs, options: ReadOrder): Promise<ReportResult> {
  refuseOtherDays(app, inputs.queries, options.scope);
  return recordedRun(app, { command: 'extract', dryRun: false }, (runId, told) =>
    workThrough(told, runId, inputs, options),
  );
}

async function workThrough(app: App, runId: bigint, inputs: Inputs, options: ReadOrder): Promise<Work> {
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
  const extraction = { ...inputs, queries, accounts: accounts.found, scope };
  const slices = await withWorkers(app, runId, inputs, accounts.found, (shared) =>
    extractAccounts(app, ads, runId, extraction, shared),
  );
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
    notes,
    slices,
    failures,
    accounts: [...accounts.found, ...accounts.leftOut],
    totals: scope.kind === 'window' ? await sumUp(app, queries, accounts.found) : [],
  };
}

function refuseFixedWindows(
  queries: readonly QueryFile[],
  named: readonly string[],
  range: DateRange | undefined,
): void {
  if (range === undefined) return;
  for (const query of queries) {
    const reason = fixedToItsWindow(query);
    if (reason === undefined || (named.length === 0 && queries.some((one) => !fixedToItsWindow(one)))) continue;
    throw new InputError(`${query.name} cannot be read for ${range.from} to ${range.to}: ${reason}.`, {
      nextStep: 'Omit --from and --to to read its own window, or name other queries with --query.',
    });
  }
}

/** Call this function before the extraction, because the extraction finishes earlier work. */
async function extractionNotes(
  app: App,
  queries: readonly QueryFile[],
  accounts: readonly RunAccount[],
  scope: ExtractionScope,
  ofAllAccounts: boolean,
): Promise<string[]> {
  if (scope.kind === 'window') return [];
  if (scope.kind === 'range') return futureNote(app, accounts, scope.range);
  const unfinished = (await unfinishedSlices(app.state.db, 'extract')).filter(({ query }) =>
    queries.some(({ name }) => name === query),
  );
  const absent = ofAllAccounts
    ? unfinished.filter((slice) => !accounts.some(({ customerId }) => customerId === slice.customerId))
    : [];
  const changed = unfinished.filter((slice) => !queries.some((query) => isOf(query, slice)));
  return [
    ...(unfinished.length === 0 ? ['Nothing to resume: all extractions are finished.'] : []),
    ...named(
      changed,
      'because the query was changed since',
      'To read the days, run pacekeeper extract with --from and --to.',
    ),
    ...named(absent, 'because the account is not accessible now'),
  ];
}

function futureNote(
  { clock }: App,
  accounts: readonly RunAccount[],
  { from, to }: { readonly from: string; readonly to: string },
): string[] {
  const todays = accounts.map(({ timeZone }) => accountToday(timeZone, clock.now())).sort();
  const first = todays[0];
  const last = todays.at(-1);
  if (first === undefined || last === undefined || to <= first) return [];
  if (from > last) return [`Nothing to read: no day from ${from} to ${to} has begun in any account.`];
  return ["Days that have not begun in an account's time zone were not read."];
}

function named(slices: readonly PlannedSlice[], why: string, then = ''): string[] {
  if (slices.length === 0) return [];
  const queries = [...new Set(slices.map(({ query }) => query))].join(', ');
  const parts = slices.length === 1 ? '1 unfinished part was' : `${slices.length} unfinished parts were`;
  return [`${parts} not resumed, ${why} (${queries}). ${then}`.trimEnd()];
}
