import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The amount in events, in SQL and in rows of the store. */
const AMOUNT_IN_RECORDS = [
  'budgets/replay-events.ts',
  'store/budgets/decision-projection.ts',
  'store/budgets/decision-table.ts',
  'store/budgets/intent-table.ts',
  'store/made-by-migrations.ts',
  'store/postgres/made-tables.ts',
  'store/budgets/past-changes.ts',
  'store/budgets/proposal-table.ts',
];

/** Jobs that do several things at a time. */
const AT_ONCE = [
  'pipeline/accounts/find-accounts.ts',
  'pipeline/change/change-budgets.ts',
  'pipeline/evaluate/evaluate-rules.ts',
  'pipeline/read/extract-accounts.ts',
  'pipeline/accounts/account-trees.ts',
  'app.ts',
  'commands/worker/run-worker.ts',
  'commands/worker/worker-command.ts',
  'queue/worker-group.ts',
];

/** The code of `src` without its comments, which may explain what is declared elsewhere. */
const SOURCES = globSync('src/**/*.ts')
  .toSorted()
  .map((path) => ({
    file: path.replaceAll('\\', '/').replace('src/', ''),
    code: readFileSync(path, 'utf8').replaceAll(/^\s*(?:\/\/|\/\*\*|\*).*$/gm, ''),
  }));

describe('one file declares', () => {
  it.each<[sentence: string, mention: RegExp, file: string, uses?: readonly string[]]>([
    ['the column of the amount before a change', /\bfrom_micros\b/, 'views/budget-columns.ts', AMOUNT_IN_RECORDS],
    ['the setting extract.concurrency', /\bconcurrency\b/, 'config/declared/advertising.ts', AT_ONCE],
    ['the path of the page of a budget', /\bbudgets\/(?:[:([\\]|\$\{)/, 'html/pages.ts'],
    ['the path of the inbox', /\/inbox(?:\?[^"'`]*)?["'`]/, 'html/pages.ts'],
    ['the path of the login', /["'`/}]\/login\b/, 'html/pages.ts'],
    ['how a new file gets its name', /\b(?:rename|link)Sync\(next,/, 'files/replace-file.ts'],
    ['the path that area C reports to', /webhooks\/messages/, 'html/pages.ts'],
  ])('%s', (_sentence, mention, file, uses = []) => {
    const found = SOURCES.filter(({ code }) => mention.test(code)).map((source) => source.file);
    expect(found).toEqual([file, ...uses].sort());
  });
});
