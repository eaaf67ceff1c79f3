#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runProgram } from './cli/program.ts';

// What lives for a moment is collected in small steps: a run over many accounts stays some seventy MiB smaller for it.
setFlagsFromString('--semi-space-growth-factor=1');

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

await runProgram(process.argv.slice(2), version, {
  folder: process.cwd(),
  env: process.env,
  output: { stdout: process.stdout, stderr: process.stderr, noColor: Boolean(process.env.NO_COLOR) },
  userName: loggedInAs(),
  exit: (code) => {
    process.exitCode = code;
  },
  onStop: (callback) => {
    process.once('SIGINT', callback);
    process.once('SIGTERM', callback);
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
