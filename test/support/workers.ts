import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { STATS_QUERY } from './accounts-service.ts';
import { type CliResult, runCli } from './run-cli.ts';
import { tempDir } from './temp-dir.ts';
import { writeFolder } from './world.ts';

const QUERIES = { 'one.sql': STATS_QUERY, 'two.sql': STATS_QUERY, 'three.sql': STATS_QUERY };

/** A rule that cuts every budget by 15 %. */
export const TRIM_ALL = {
  'trim.yaml': `description: Cut every budget.
from: one
for: campaign
over: 7 days
when: clicks >= 0
currency: EUR
change: decrease budget by 15%
limits: { floor: 5, ceiling: 200, step: 20% }
mode: apply
`,
};

interface Files {
  readonly queries?: Readonly<Record<string, string>>;
  readonly rules?: Readonly<Record<string, string>>;
  /** Lines of the settings file. */
  readonly settings?: string;
}

/** Folders of machines with the same files, each with a data folder of its own. */
export function machine({ queries = QUERIES, rules = {}, settings = '' }: Files = {}): string {
  const folder = tempDir();
  const automation = 'automation: { mode: apply, changes_per_run: 10000 }';
  writeFileSync(join(folder, 'pacekeeper.yaml'), `extract: { concurrency: 2 }\n${automation}\n${settings}\n`);
  writeFolder(folder, 'queries', queries);
  writeFolder(folder, 'rules', rules);
  return folder;
}

export interface Worker {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult>;
  readonly ready: Promise<unknown>;
}

/** Resolves when the command is ready. It ends with the test. */
export async function startCommand(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
  let child: ChildProcess | undefined;
  const onStart = (started: ChildProcess) => {
    child = started;
  };
  const ended = runCli(args, { cwd, env, onStart });
  onTestFinished(() => void child?.kill('SIGKILL'));
  await Promise.race([once(child?.stdout as NodeJS.ReadableStream, 'data'), ended]);
}

export function startWorker(env: Readonly<Record<string, string>>, folder = machine(), program?: string): Worker {
  let child: ChildProcess | undefined;
  const onStart = (started: ChildProcess) => {
    child = started;
  };
  const ended = runCli(['worker', '--concurrency', '4'], { cwd: folder, env, onStart, program });
  if (child === undefined) throw new Error('The worker did not start.');
  const worker = { child, ended, ready: Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]) };
  onTestFinished(() => void worker.child.kill('SIGKILL'));
  return worker;
}
