import { describe, expect, it } from 'vitest';
import type { PastRun } from '../../src/storage/records/runs/run-history.ts';
import { terminalListing } from '../../src/views/kit/terminal.ts';
import { STATUS, type StatusResult } from '../../src/views/status.ts';

const LONG = 'x'.repeat(90);

const RUN: PastRun = {
  id: 2n,
  command: 'report',
  target: 'live',
  targetKind: 'live',
  mode: 'apply',
  dryRun: true,
  state: 'failed',
  startedAt: '2026-03-01T05:30:00Z',
  endedAt: undefined,
  accounts: 1n,
  rowsRead: 1n,
  operations: 0n,
  budgetChanges: 0n,
  messagesSent: 0n,
  failures: 1n,
  error: `Account 1: \u001b[31m${LONG}\nmore`,
};

const FOUND: StatusResult = {
  target: `live (https://${LONG}.example.com)`,
  mode: 'apply',
  version: 'v25',
  sunset: undefined,
  dataFolder: `/data/${LONG}`,
  schedule: {
    holder: { pid: 4194304, host: LONG, since: '2026-03-01T12:00:00Z', state: 'late' },
    jobs: [
      {
        name: 'morning-report',
        job: 'report',
        cron: '30 5 * * *',
        timeZone: 'Europe/Berlin',
        next: undefined,
        last: { state: 'missed', dueAt: '2026-03-01T05:30:00Z', reason: LONG, runId: undefined },
      },
    ],
  },
  frozen: { why: `frozen by anna since 2026-03-01T05:30:00Z: ${LONG}`, isLiftable: true },
  workers: undefined,
  work: {
    lastReport: RUN,
    runs: [RUN],
    coverage: [
      {
        query: 'q'.repeat(40),
        accounts: 3,
        neverRead: 1,
        completeUntil: undefined,
        missing: 12_345,
        provisional: 7,
        failed: 0,
      },
    ],
    orphanedTables: ['q'.repeat(60)],
    openChanges: 1,
    proposals: Array.from({ length: 40 }, (_, index) => `A${index}BC`),
    alerts: { waiting: 2, mayBeOut: 1, lost: 0 },
  },
};

const shown = (found: StatusResult) => terminalListing(STATUS, found, { width: 80, bold: (text) => text });

describe('status', () => {
  it('fits 80 columns whatever it contains, and shows no control character', () => {
    const text = shown(FOUND);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toContain('\u001b');
    expect(text.replace(/\s+/g, ' ')).toContain('A5BC and 34 more');
    expect(text.replace(/\s+/g, ' ')).toContain('Run pacekeeper schedule again.');
  });

  it('shows a run that was asked to stop as stopped, not failed', () => {
    const stopped = {
      ...RUN,
      state: 'stopped' as const,
      error: '5 slices were left, because the run was asked to stop.',
    };
    const text = shown({ ...FOUND, work: { ...FOUND.work, lastReport: stopped, runs: [stopped] } });
    expect(text).toMatch(/report \(dry run\) +stopped .*\n +5 slices were left/);
    expect(text).not.toContain('failed');
  });

  it('shows the workers of a database, and the newest tasks that they gave up', () => {
    const failed = { kind: 'read', failedAt: '2026-03-01T05:30:00Z' };
    const text = shown({
      ...FOUND,
      workers: {
        workers: [true, true, false].map((isLive, index) => ({
          worker: `${index}@host`,
          group: 'g',
          isLive,
          heartbeatAt: '2026-03-01T05:30:00Z',
        })),
        tasks: [
          { kind: 'read', state: 'waiting', count: 1200 },
          { kind: 'read', state: 'in_work', count: 16 },
          { kind: 'read', state: 'failed', count: 4 },
        ],
        failed: [
          { ...failed, customerId: '1000000001', worker: '1@host', reason: `HTTP 403 \u001b[31m${LONG}` },
          { ...failed, customerId: '1000000002', worker: undefined, reason: undefined },
          { ...failed, customerId: '1000000003', worker: '1@host', reason: 'HTTP 403' },
          { ...failed, customerId: '1000000004', worker: '1@host', reason: 'HTTP 403' },
        ],
      },
    });
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(/Workers: .*(?=\n\nRuns)/s.exec(text)?.[0]).toMatchInlineSnapshot(`
      "Workers: 2 live, 1,200 tasks waiting, 16 in work, 4 failed in the last day
      Failed: read account 1000000001 on 1@host, 2026-03-01 05:30 UTC: HTTP 403
        ·[31mxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        xxxxxxxxxxxxxxxxx
      Failed: read account 1000000002, 2026-03-01 05:30 UTC: its worker died or hung
      Failed: read account 1000000003 on 1@host, 2026-03-01 05:30 UTC: HTTP 403
      A run does its failed tasks itself. If it died, run pacekeeper report, or
        extract --resume.
      Table qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq has no query
        file. To drop it: pacekeeper warehouse rebuild
        qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
    `);
  });

  it.each([
    ['keeping', 'running in process 7 on here since 2026-03-01 12:00 UTC'],
    ['gone', 'not running: process 7 on here has ended. Run pacekeeper schedule again.'],
  ] as const)('shows the process of a schedule with state %s', (state, words) => {
    const holder = { pid: 7, host: 'here', since: '2026-03-01T12:00:00Z', state };
    const text = shown({ ...FOUND, schedule: { ...FOUND.schedule, holder } });
    expect(text.replace(/\s+/g, ' ')).toContain(`Schedule: ${words}`);
  });
});
