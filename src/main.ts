#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { columnsOf } from './cli/output.ts';
import { runProgram } from './cli/program.ts';

// What lives for a moment is collected in small steps: a run over many accounts stays some seventy MiB smaller for it.
setFlagsFromString('--semi-space-growth-factor=1');

// A report of a crash is handed on to whoever looks for its cause: without the environment, which holds secrets, where Node can.
if ('excludeEnv' in process.report) process.report.excludeEnv = true;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
// A log that cannot be written, such as one on a full disk, ends no schedule and no change half made.
process.stderr.on('error', () => undefined);

await runProgram(process.argv.slice(2), version, {
  folder: process.cwd(),
  env: process.env,
  output: {
    ...{ stdout: process.stdout, stderr: process.stderr, noColor: Boolean(process.env.NO_COLOR) },
    columns: columnsOf(process.env.COLUMNS),
  },
  userName: loggedInAs(),
  nodeVersion: process.versions.node,
  interactive: process.stdin.isTTY === true && process.stdout.isTTY === true,
  exit: (code) => {
    process.exitCode = code;
  },
  runBeside: (args, env) => {
    const program = [...process.execArgv, process.argv[1] ?? '', ...args];
    // In a group of its own: Ctrl-C goes to all processes of a terminal's group.
    const child = spawn(process.execPath, program, {
      ...{ stdio: ['ignore', 'ignore', 'inherit'], detached: true },
      env: { ...process.env, ...env },
    });
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(null));
      child.once('close', (code) => resolve(code));
    });
    const stop = (signal: 'SIGTERM' | 'SIGKILL') => {
      child.kill(signal);
      if (signal === 'SIGKILL') child.unref();
    };
    return { pid: child.pid, ended, stop };
  },
  pageWorker: new URL('./page-worker.js', import.meta.url),
  onStop: (callback) => {
    const stop = () => {
      // Whoever asks again does not want to wait: the system's own way to end is back.
      process.off('SIGINT', stop).off('SIGTERM', stop);
      callback();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  },
});

function loggedInAs(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container can run as a number that has no name.
    return undefined;
  }
}
