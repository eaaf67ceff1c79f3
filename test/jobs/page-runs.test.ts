import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { lastRunOf, toldByRun, toldByRuns } from '../../src/jobs/page-runs.ts';
import { endRun, startRun } from '../../src/store/run-table.ts';
import { freshState, NOW_MS } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

const DECISION = {
  ...{ rule: 'trim', customer_id: '1234567890', campaign_name: 'Trail', currency: 'EUR', from_micros: 60_000_000 },
  ...{ to_micros: '51000000', reason: 'The reason of somebody.', code: null, detail: null, proposal: null },
};

function folderOf(dryRun: boolean): string {
  const folder = join(tempDir(), 'runs');
  mkdirSync(folder);
  const record = {
    run: { id: 3, command: 'report', started_at: '2026-11-20T05:30:00Z', dry_run: dryRun },
    decisions: [
      { ...DECISION, state: 'proposed' },
      { ...DECISION, state: 'proposed', proposal: '7K3A' },
      { ...DECISION, state: 'applied' },
      { ...DECISION, state: 'refused', code: 'AT_FLOOR' },
    ],
  };
  writeFileSync(join(folder, '3.json'), JSON.stringify(record));
  writeFileSync(join(folder, '2.json'), 'no record');
  return folder;
}

/** Of any database: what stands in a record is asked of SQLite. */
const connection = new Database(':memory:');
const NAMES = new Map([['1234567890', 'Northwind']]);
const redact = (text: string) => text.replace('somebody', '…');

describe('the record of a run', () => {
  it('tells what it refused and would have changed: what was proposed to people or sent lies in tables', () => {
    const about = { connection, folder: folderOf(false), newest: undefined, since: '2026-11-01T00:00:00Z' };
    const { decisions, runs } = toldByRuns(about, NAMES, redact);
    expect(decisions.map(({ kind, code }) => [kind, code])).toEqual([
      ['would_change', undefined],
      ['refusal', 'AT_FLOOR'],
    ]);
    expect(decisions[0]).toMatchObject({
      ...{ runId: 3n, account: 'Northwind', subject: 'Trail', fromMicros: 60_000_000n, toMicros: 51_000_000n },
      reason: 'The reason of ….',
    });
    expect(runs).toBe(1);
  });

  it('is one without the members that nothing is told of, and none where it is no object', () => {
    const folder = folderOf(false);
    const run = { id: 2, command: 'report', started_at: '2026-11-20T05:00:00Z' };
    for (const [name, text] of Object.entries({
      '2.json': JSON.stringify({ run, decisions: [], totals: [{ deep: [1] }] }),
      '4.json': '[]',
      '5.json': '"run"',
      '6.json': `{"run": ${'['.repeat(5000)}`,
      '7.json': '',
    })) {
      writeFileSync(join(folder, name), text);
    }
    const told = toldByRuns({ connection, folder, newest: undefined, since: '' }, NAMES, redact);
    expect([told.runs, [...told.notes]]).toEqual([
      2,
      [
        [3n, []],
        [2n, []],
      ],
    ]);
  });

  it('of a dry run tells of that run alone', () => {
    const folder = folderOf(true);
    expect(toldByRuns({ connection, folder, newest: undefined, since: '' }, NAMES, redact).decisions).toEqual([]);
    expect(toldByRun(connection, folder, 3n, NAMES, redact)).toHaveLength(2);
    expect(toldByRun(connection, folder, 2n, NAMES, redact)).toEqual([]);
  });
});

describe('the targets of a run', () => {
  const TARGET = {
    ...{ rule: 'month-pacing', customer_id: '1234567890', subject: 'Trail', currency: null, state: 'low' },
    ...{ target_micros: '9223372036854775808', spent_micros: 0, ideal_to_date_micros: 1, projected_micros: null },
    ...{ budget_micros: 75_000_000, should_be_micros: -1 },
  };
  const told = (pacing: unknown, id = 4) => {
    const run = { id, command: 'report', started_at: '2026-11-20T06:30:00Z' };
    const about = {
      connection,
      folder: folderOf(false),
      newest: JSON.stringify({ run, decisions: [], pacing }),
      since: '',
    };
    return toldByRuns(about, NAMES, redact);
  };

  it('are those of the newest record, with amounts that no JSON number holds', () => {
    expect(told([TARGET]).targets).toEqual({
      ...{ runId: 4n, at: '2026-11-20T06:30:00Z' },
      rows: [
        {
          ...{ subject: 'Trail', account: 'Northwind', rule: 'month-pacing', state: 'low', currency: undefined },
          ...{ target: 9_223_372_036_854_775_808n, spent: 0n, idealToDate: 1n, projected: undefined },
          ...{ budget: 75_000_000n, shouldBe: -1n },
        },
      ],
    });
  });

  it.each([
    ['has none', []],
    ['is of a version that had none', undefined],
    ['has something else in their place', [{ rule: 1 }]],
  ])('are not known where the record %s, and the rest of it is read', (_, pacing) => {
    expect(told(pacing)).toMatchObject({ targets: undefined, runs: 2 });
  });
});

describe('the last run that a report tells of', () => {
  it('is the newest report, or the newest run of all before the first, with its failures one by one', async () => {
    const { db } = await freshState();
    const end = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0, nowMs: NOW_MS };
    const ended = async (command: string, failures: readonly string[]) => {
      const run = await startRun(db, {
        command,
        target: 'sandbox',
        targetKind: 'sandbox',
        mode: 'apply',
        dryRun: false,
        nowMs: NOW_MS,
      });
      await endRun(db, run, { ...end, state: failures.length === 0 ? 'done' : 'failed', failures });
    };
    expect(await lastRunOf(db, redact)).toBeUndefined();
    await ended('extract', []);
    expect(await lastRunOf(db, redact)).toMatchObject({ id: 1n, command: 'extract', failures: [] });
    await ended('report', ['One of somebody.', 'Another.']);
    await ended('extract', []);
    const told = await lastRunOf(db, redact);
    expect(told).toMatchObject({ id: 2n, command: 'report', failures: ['One of ….', 'Another.'] });
    // What was not redacted goes no further.
    expect(told).not.toHaveProperty('error');
  });
});
