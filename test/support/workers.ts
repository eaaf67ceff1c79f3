import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { STATS_QUERY } from './accounts-service.ts';
import { type CliResult, runCli } from './run-cli.ts';
import { tempDir } from './temp-dir.ts';
import { writeFolder } from './world.ts';

const QUERIES = { 'one.sql': STATS_QUERY, 'two.sql': STATS_QUERY, 'three.sql': STATS_QUERY };

/** Folders of machines with the same files, each with a data folder of its own. */
export function machine(queries: Readonly<Record<string, string>> = QUERIES, extract = ''): string {
  const folder = tempDir();
  writeFileSync(join(folder, 'pacekeeper.yaml'), `extract: { concurrency: 2${extract} }\n`);
  writeFolder(folder, 'queries', queries);
  mkdirSync(join(folder, 'rules'));
  return folder;
}

export interface Worker {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult>;
  readonly ready: Promise<unknown>;
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
