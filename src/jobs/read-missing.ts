import type { CivilDate } from '../domain/civil-date.ts';
import type { RuleResult } from '../report/report-result.ts';

/** How the days are read that rules were not evaluated for want of: a sentence for each table. */
export function howToReadMissing(results: readonly RuleResult[]): string[] {
  const tables = new Map<string, readonly CivilDate[]>();
  for (const { missing } of results) {
    if (missing === undefined) continue;
    const { table, from, to } = missing;
    tables.set(table, [...(tables.get(table) ?? []), from, to].sort());
  }
  return [...tables].map(
    ([table, days]) =>
      `pacekeeper extract --query ${table} --from ${days[0]} --to ${days.at(-1)} reads the days that are missing.`,
  );
}
