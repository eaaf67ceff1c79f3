import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../../src/sandbox/read-request.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type ProgramResult, runInProcess } from '../../commands/run-in-process.ts';
import { byEffort, isThorough } from '../../support/effort.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { type FolderStore, folderStore } from '../../support/folder-store.ts';
import { isValidation } from '../../support/product.ts';
import { type CliResult, runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { liveEnvironment, NOON, writeFolder } from '../../support/world.ts';

const { customerId: EUR, budgetId: BUDGET } = TRIMMED;

interface Scene {
  readonly sandbox: Sandbox;
  readonly folder: string;
  /** Runs `report`; kills the process with SIGKILL at the first request that matches, which is then answered by `fault`. */
  killAt(matches: (request: SandboxRequest) => boolean, fault: Fault): Promise<void>;
  /** The same with SIGTERM, which the process answers in its own way. */
  stopAt(matches: (request: SandboxRequest) => boolean, fault: Fault): Promise<CliResult>;
  /** Runs `report` to its end, in this process: what is killed leaves nothing behind but its store. */
  again(now?: string): Promise<ProgramResult>;
  readonly env: Readonly<Record<string, string>>;
  readonly rows: FolderStore['rows'];
}

async function scene(): Promise<Scene> {
  const folder = tempDir();
  const clock = fakeClock(NOON);
  let onRequest: (request: SandboxRequest) => Fault | undefined = () => undefined;
  const sandbox = await startSandbox({
    stateFile: ':memory:',
    clock,
    seed: 1,
    strict: false,
    fault: (request) => onRequest(request),
  });
  onTestFinished(() => sandbox.close());
  writeFileSync(join(folder, 'pacekeeper.yaml'), 'automation: { mode: apply }\n');
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', TRIM_RULES);
  const store = await folderStore(join(folder, 'data'));
  const env = { ...liveEnvironment(sandbox), ...store.env, ADS_CUSTOMER_IDS: EUR, PACEKEEPER_NOW: NOON };
  const signalAt = async (signal: NodeJS.Signals, matches: (request: SandboxRequest) => boolean, fault: Fault) => {
    let child: ChildProcess | undefined;
    let isSent = false;
    onRequest = (request) => {
      if (!matches(request)) return undefined;
      // Asked twice to stop it would end at once.
      if (!isSent) child?.kill(signal);
      isSent = true;
      return fault;
    };
    const onStart = (started: ChildProcess) => {
      child = started;
    };
    const ended = await runCli(['report'], { cwd: folder, env, onStart });
    onRequest = () => undefined;
    return ended;
  };
  return {
    sandbox,
    folder,
    async killAt(matches, fault) {
      expect((await signalAt('SIGKILL', matches, fault)).code).toBeNull();
    },
    stopAt: (matches, fault) => signalAt('SIGTERM', matches, fault),
    again(now = NOON) {
      clock.set(now);
      return runInProcess(['report'], { folder, env: { ...env, PACEKEEPER_NOW: now } });
    },
    env,
    rows: store.rows,
  };
}

const isChange = ({ kind, validateOnly }: SandboxRequest) => kind === 'mutate' && validateOnly === false;

type KilledAt = readonly [
  sentence: string,
  at: typeof isChange,
  fault: Fault,
  before: string,
  after: readonly string[],
];

/** npm test dies at these in its own process: test/budgets/crash-points.test.ts. */
const OTHER_MOMENTS: readonly KilledAt[] = [
  // What surely was not sent expires, and the next run decides anew.
  ['between intent and validation', isValidation, { kind: 'hang_before' }, 'planned', ['expired', 'applied']],
  ['after sending and before the change was made', isChange, { kind: 'hang_before' }, 'sending', ['applied']],
];

describe('a killed process', () => {
  it.each<KilledAt>([
    ['after the change was made and before its answer', isChange, { kind: 'hang_after' }, 'sending', ['confirmed']],
    ...(isThorough ? OTHER_MOMENTS : []),
  ])('%s leaves exactly one change after the next run', async (_sentence, at, fault, before, after) => {
    const { killAt, again, rows, sandbox } = await scene();
    await killAt(at, fault);
    expect(rows('SELECT state FROM budget_intent')).toEqual([{ state: before }]);

    // The killed process sent it seconds after noon. One lag later, a reading is not older than the change.
    const next = await again('2026-11-20T13:05:00Z');
    expect(next.code).toBe(0);
    expect(rows('SELECT state FROM budget_intent ORDER BY id')).toEqual(after.map((state) => ({ state })));
    expect(sandbox.budgetAmount(EUR, BUDGET)).toBe(51_000_000n);
    expect(rows('SELECT from_micros, to_micros FROM budget_change', 'warehouse')).toEqual([
      { from_micros: 60_000_000, to_micros: 51_000_000 },
    ]);
    expect(sandbox.messages()).toHaveLength(1);
    expect(rows('SELECT state FROM run ORDER BY id')).toEqual([{ state: 'died' }, { state: 'done' }]);
  });

  it('in the middle of a stream leaves no row of it, and the next run reads it in full', async () => {
    const { killAt, again, rows } = await scene();
    const isStream = ({ kind, query }: SandboxRequest) => kind === 'stream' && query?.includes('keyword_view') === true;
    await killAt(isStream, { kind: 'cut', afterBytes: 20_000 });
    expect(rows('SELECT count(*) AS rows FROM stats')).toEqual([{ rows: 0 }]);
    expect((await again()).code).toBe(0);
    const whole = `SELECT count(*) > 0 AND count(*) = (SELECT sum(rows) FROM slice WHERE state = 'done') AS whole FROM stats`;
    expect(rows(whole)).toEqual([{ whole: 1 }]);
  });

  it('by SIGTERM in the middle of a stream rolls the slice back and exits with 1; the next run reads it in full', async () => {
    const { stopAt, again, rows } = await scene();
    const isStream = ({ kind, query }: SandboxRequest) => kind === 'stream' && query?.includes('keyword_view') === true;
    const { code, stderr, stdout } = await stopAt(isStream, { kind: 'stall', afterBytes: 20_000 });
    expect(code).toBe(1);
    expect(stderr).toContain('Stop requested');
    expect(stdout).toContain('left for the next run: the run was asked to stop.');
    expect(rows('SELECT count(*) AS rows FROM stats')).toEqual([{ rows: 0 }]);
    expect(rows('SELECT DISTINCT state FROM slice')).toEqual([{ state: 'planned' }]);
    expect(rows('SELECT state FROM run')).toEqual([{ state: 'stopped' }]);
    expect((await again()).code).toBe(0);
    expect(rows('SELECT count(*) > 0 AS some FROM stats')).toEqual([{ some: 1 }]);
  });

  it('while sending an alert, blocks it for five minutes; then the provider has it and it is not sent again', async () => {
    const { killAt, again, rows, sandbox } = await scene();
    await killAt(({ kind }) => kind === 'message', { kind: 'hang_after' });
    expect((await again()).code).toBe(0);
    expect(rows('SELECT state FROM outbox')).toEqual([{ state: 'sending' }]);
    const next = await again('2026-11-20T12:10:00Z');
    expect(next.code).toBe(0);
    expect(rows('SELECT state FROM outbox')).toEqual([{ state: 'delivered' }]);
    expect(sandbox.messages()).toHaveLength(1);
  });
});

describe('two processes on one data folder', () => {
  it('do not run at the same time: the second names the first and exits with 1, and nothing happens twice', async () => {
    const { sandbox, folder, env } = await scene();
    const processes = byEffort({ quick: [1, 2], thorough: [1, 2, 3] });
    const runs = await Promise.all(processes.map(() => runCli(['report'], { cwd: folder, env })));
    const codes = runs.map(({ code }) => code).sort();
    expect(codes.at(0)).toBe(0);
    for (const { code, stderr, stdout } of runs) {
      if (code === 0) continue;
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/error: \S+ is in use by pacekeeper report, process \d+ on .+, since /);
      expect(stderr).toContain('next step: ');
    }
    expect(sandbox.requests.filter(isChange)).toHaveLength(1);
    expect(sandbox.messages()).toHaveLength(1);
  });
});
