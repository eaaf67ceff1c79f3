import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { writeFolder } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';
import { liveService, type Sent, SMALL, sent } from './service-catalogue.ts';

const QUERIES = {
  'clicks.sql': 'SELECT campaign.id, campaign.old_name AS n FROM campaign ORDER BY n',
  'other.sql': "SELECT customer.id FROM customer WHERE customer.kind = 'A'",
  'gone.sql': 'SELECT gone.id FROM gone',
};
const kind = (...enumValues: string[]) =>
  sent('customer.kind', { dataType: 'ENUM', enumValues, typeUrl: 'google.ads.googleads.vX.enums.KindEnum.Kind' });

const EARLIER: readonly Sent[] = [
  ...SMALL,
  sent('gone'),
  sent('gone.id'),
  kind('A', 'B'),
  sent('campaign.old_name'),
  sent('campaign.start_date'),
  sent('campaign.budget'),
];
const LATER: readonly Sent[] = [
  ...SMALL.filter(({ name }) => name !== 'campaign.id'),
  sent('campaign.id', { dataType: 'INT64', sortable: false }),
  kind('B', 'C'),
  sent('campaign.old_names'),
  sent('campaign.start_date_time'),
  sent('campaign.budget', { dataType: 'DOUBLE' }),
  sent('brand'),
  sent('brand.id'),
  sent('brand.name'),
];

/** A folder in which both versions were refreshed. */
async function folderWithBoth(): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = tempDir();
  writeFolder(folder, 'queries', QUERIES);
  let env: Record<string, string> = {};
  for (const [version, results] of [
    ['v29', EARLIER],
    ['v30', LATER],
  ] as const) {
    const service = await liveService([{ results }]);
    env = { ...service.env, ADS_VERSION: version, PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };
    expect((await runInProcess(['catalogue', 'refresh'], { folder, env })).stderr).toBe('');
  }
  return { folder, env };
}

describe('catalogue diff', () => {
  it('lists what changed, with the queries that use it first, and counts what is new', async () => {
    const { folder, env } = await folderWithBoth();
    const { code, stdout } = await runInProcess(['catalogue', 'diff', 'v29', 'v30'], { folder, env });
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "Removed or changed
        Name                 Change     Before                         After                       Used by
        gone                 removed                                                               gone
        campaign.id          facts      selectable, filterable,        selectable, filterable      clicks
                                        sortable
        campaign.old_name    removed                                   perhaps campaign.old_names  clicks
        customer.kind        constants  A                                                          other
        campaign.budget      type       STRING                         DOUBLE
        campaign.start_date  renamed                                   campaign.start_date_time

      Added
        Name      Resource  New fields
        brand     new                2
        campaign                     2

      6 names of v29 changed in v30, 4 of them used by queries.
      "
    `);
  });

  it('has the same as JSON', async () => {
    const { folder, env } = await folderWithBoth();
    const run = await runInProcess(['catalogue', 'diff', 'v29', 'v30', '--format', 'json'], { folder, env });
    const { earlier, later, changes, added } = JSON.parse(run.stdout);
    expect([earlier, later, changes.length]).toEqual(['v29', 'v30', 6]);
    expect(changes[0]).toEqual({ name: 'gone', change: 'removed', before: 'gone', after: null, queries: ['gone'] });
    expect(added).toContainEqual({ name: 'brand', new_resource: true, added_fields: 2 });
  });

  it.each([
    ['v28', 'v30'],
    ['v30', 'v99'],
    ['v30', '../v30'],
  ])('exits with 2 if one is not there: %s and %s', async (earlier, later) => {
    const { folder, env } = await folderWithBoth();
    const { code, stderr } = await runInProcess(['catalogue', 'diff', earlier, later], { folder, env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error: There is no catalogue \S+, only v29 \(refreshed\), v30 \(refreshed\), v25 \(shipped\), spec\./,
      ),
    ]);
  });
});

describe('catalogue status', () => {
  it('lists versions with origin and age, and names in queries that the used one lacks', async () => {
    const { folder, env } = await folderWithBoth();
    const later = { ...env, PACEKEEPER_NOW: '2026-12-01T13:00:00Z' };
    const { code, stdout } = await runInProcess(['catalogue', 'status', '--format', 'json'], { folder, env: later });
    expect(code).toBe(0);
    const { version, chosen, problem, catalogues, queries } = JSON.parse(stdout);
    expect([version, chosen, problem]).toEqual(['v30', 'auto', null]);
    expect(catalogues.map((one: Record<string, unknown>) => [one.version, one.origin, one.used, one.age_days])).toEqual(
      [
        ['v29', 'refreshed', false, 11],
        ['v30', 'refreshed', true, 11],
        ['v25', 'shipped', false, null],
      ],
    );
    expect(catalogues[1]).toMatchObject({ source: `live (${env.ADS_URL})`, resources: 3, fields: 11 });
    expect(queries).toEqual([
      { query: 'clicks', name: 'campaign.old_name', problem: 'unknown', instead: null },
      { query: 'gone', name: 'gone', problem: 'unknown', instead: null },
    ]);
  });

  it('says that nothing was refreshed yet', async () => {
    const { code, stdout } = await runInProcess(['catalogue', 'status'], { folder: tempDir() });
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "Catalogues
        Version  Origin   Used  From        Resources  Fields
        v25      shipped  yes   pacekeeper        188   2,906

      No query is affected.
      "
    `);
  });
});
