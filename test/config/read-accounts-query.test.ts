import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import type { Environment } from '../../src/config/setting-tree.ts';
import { InputError } from '../../src/domain/errors.ts';
import { tempDir } from '../support/temp-dir.ts';

const QUERY =
  "SELECT customer_client.id FROM customer_client WHERE customer_client.status = ENABLED AND customer_client.applied_labels CONTAINS ANY ('customers/1/labels/2')";

async function problemsOf(query: string, env: Environment = {}): Promise<string[]> {
  const folder = tempDir();
  writeFileSync(join(folder, 'pacekeeper.yaml'), `ads:\n  accounts_query: ${JSON.stringify(query)}\n`);
  const error = await readSettings(folder, {}, env).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (error === undefined) return [];
  if (!(error instanceof InputError)) throw error;
  return error.findings.flatMap(({ diagnostics }) =>
    diagnostics.map(({ span, message }) => `${span.start.line}:${span.start.column} ${message}`),
  );
}

describe('ads.accounts_query', () => {
  it.each([QUERY, `-- by label\n${QUERY};`, `${QUERY.replace('.id', '.id AS id, customer_client.level')} LIMIT 5`])(
    'is a query over customer_client: %s',
    async (query) => {
      expect(await problemsOf(query)).toEqual([]);
    },
  );

  it.each([
    [
      'another resource',
      'SELECT campaign.id FROM campaign',
      ['2:19 ads.accounts_query reads campaign, expected FROM customer_client.'],
    ],
    [
      'no id',
      'SELECT customer_client.level FROM customer_client',
      ['2:19 ads.accounts_query lacks customer_client.id. Add it after SELECT.'],
    ],
    [
      'several mistakes',
      QUERY.replace('.id', '.idd').replace('ENABLED', 'ENABELD'),
      [
        expect.stringMatching(/^2:19 ads\.accounts_query has an error in column 8: .*customer_client\.idd/),
        expect.stringMatching(/^2:19 ads\.accounts_query has an error in column \d+: .*ENABELD.*ENABLED/),
      ],
    ],
    [
      'a second line',
      'SELECT customer_client.id\nFROM customer_clients',
      [expect.stringMatching(/^2:19 ads\.accounts_query has an error in line 2, column 6: .*customer_clients/)],
    ],
    [
      'a parameter',
      QUERY.replace('ENABLED', ':status'),
      [expect.stringMatching(/^2:19 ads\.accounts_query has an error in column \d+: .*:status/)],
    ],
    [
      'no query',
      'everything',
      [
        '2:19 ads.accounts_query has an error in column 1: Found "everything", expected SELECT at the start of the query.',
        '2:19 ads.accounts_query has an error in column 1: "everything" is not a field.',
      ],
    ],
  ])('is refused with %s', async (_, query, problems) => {
    expect(await problemsOf(query)).toEqual(problems);
  });
});
