import type { App } from '../app.ts';
import { accountToday } from '../extract/day-state.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { type PlannedSlice, unfinishedSlices } from '../store/slice-table.ts';
import type { RunAccount } from './discover-accounts.ts';
import { type ExtractionScope, isOf } from './plan-extraction.ts';

/** What the reader must know of days that were asked for and are not among those to be read. To be asked before they are. */
export async function extractionNotes(
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
    ...(unfinished.length === 0 ? ['No extraction was left unfinished: nothing to resume.'] : []),
    ...named(changed, 'planned before its query was changed', 'planned before their queries were changed'),
    ...named(absent, 'of an account that is not accessible now', 'of accounts that are not accessible now'),
  ];
}

function futureNote(
  { clock }: App,
  accounts: readonly RunAccount[],
  { from, to }: { readonly from: string; readonly to: string },
): string[] {
  const todays = accounts.map(({ timeZone }) => accountToday(timeZone, clock.now())).sort();
  const [first, last] = [todays[0], todays.at(-1)];
  if (first === undefined || last === undefined || to <= first) return [];
  if (from > last) return [`No day from ${from} to ${to} has begun on the calendar of any account: nothing to read.`];
  return ["Days that have not begun on an account's calendar were not asked for."];
}

function named(slices: readonly PlannedSlice[], one: string, many: string): string[] {
  if (slices.length === 0) return [];
  const words =
    slices.length === 1 ? `1 slice was not resumed: ${one}` : `${slices.length} slices were not resumed: ${many}`;
  return [`${words} (${[...new Set(slices.map(({ query }) => query))].join(', ')}).`];
}
