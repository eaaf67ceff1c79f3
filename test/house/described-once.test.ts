import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The amount in events, in SQL and in rows of the store. */
const AMOUNT_IN_RECORDS = [
  'engine/budgets/replay-events.ts',
  'storage/records/budgets/decision-projection.ts',
  'storage/records/budgets/decision-table.ts',
  'storage/records/budgets/intent-table.ts',
  'storage/records/made-by-migrations.ts',
  'storage/records/postgres/made-tables.ts',
  'storage/records/budgets/past-changes.ts',
  'storage/records/budgets/proposal-table.ts',
];

/** Jobs that do several things at a time. */
const AT_ONCE = [
  'engine/accounts/find-accounts.ts',
  'engine/change/change-budgets.ts',
  'engine/evaluate/decide-targets.ts',
  'engine/evaluate/evaluate-rules.ts',
  'engine/read/extract-accounts.ts',
  'engine/accounts/account-trees.ts',
  'app.ts',
  'commands/worker/run-worker.ts',
  'commands/worker/worker-command.ts',
  'engine/queue/worker-group.ts',
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
    [
      'the column of the amount before a change',
      /\bfrom_micros\b/,
      'storage/columns/budget-columns.ts',
      AMOUNT_IN_RECORDS,
    ],
    ['the setting extract.concurrency', /\bconcurrency\b/, 'config/declared/advertising.ts', AT_ONCE],
    ['the path of the page of a budget', /\bbudgets\/(?:[:([\\]|\$\{)/, 'domain/pages.ts'],
    ['the path of the inbox', /\/inbox(?:\?[^"'`]*)?["'`]/, 'domain/pages.ts'],
    ['the path of the login', /["'`/}]\/login\b/, 'domain/pages.ts'],
    ['how a new file gets its name', /\b(?:rename|link)Sync\(next,/, 'storage/files/replace-file.ts'],
    [
      'the path that providers report to',
      /`\/webhooks\/\$/,
      'channels/channels.ts',
      ['sandbox/webhooks/compose-webhook.ts'],
    ],
  ])('%s', (_sentence, mention, file, uses = []) => {
    const found = SOURCES.filter(({ code }) => mention.test(code)).map((source) => source.file);
    expect(found).toEqual([file, ...uses].sort());
  });
});
