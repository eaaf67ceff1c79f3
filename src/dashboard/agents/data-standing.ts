import type { StateApp } from '../../engine/app.ts';
import { queryCoverage } from '../../engine/read/coverage.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { lastReport } from '../../storage/records/runs/run-history.ts';

/** How old and how complete the figures of an answer are. */
export interface DataStanding {
  /** In UTC. */
  readonly as_of: string | null;
  readonly currencies: string[];
  readonly complete_until: Record<string, string | null>;
}

export const NO_DATA: DataStanding = { as_of: null, currencies: [], complete_until: {} };

export async function dataStanding(app: StateApp): Promise<DataStanding> {
  const { db } = app.state;
  const currencies = (await allAccounts(db)).flatMap(({ currency }) => currency ?? []);
  const coverage = await queryCoverage(app);
  return {
    as_of: (await lastReport(db))?.endedAt ?? null,
    currencies: [...new Set(currencies)].toSorted(),
    complete_until: Object.fromEntries(coverage.map(({ query, completeUntil }) => [query, completeUntil ?? null])),
  };
}
