#!/usr/bin/env node
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';

const { version, engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
  engines: { node: string };
};

// Must precede every import of the program, because SQLite's native code silently crashes an older Node.
const wanted = engines.node.replace('>=', '');
if (isOlder(process.versions.node, wanted)) {
  process.stderr.write(
    `error: pacekeeper needs Node ${wanted} or newer, found ${process.versions.node}.\n` +
      'next step: Install Node 24 from https://nodejs.org. Or use npm run or npx in the repository: it brings its own Node.\n',
  );
  process.exitCode = 2;
} else {
  await run();
}

function isOlder(found: string, than: string): boolean {
  const [foundMajor = 0, foundMinor = 0] = found.split('.').map(Number);
  const [major = 0, minor = 0] = than.split('.').map(Number);
  return foundMajor < major || (foundMajor === major && foundMinor < minor);
}

async function run(): Promise<void> {
  // Keeps the space for new objects small. Otherwise, short-lived objects keep network buffers in memory until that space
  // is full, and loading a million rows needs 70 MiB more.
  setFlagsFromString('--semi-space-growth-factor=1');
  // The environment contains secrets, and people share crash reports.
  process.report.excludeEnv = true;
  // By default, SIGUSR1 opens a debugger on port 9229 to all users of the machine.
  process.on('SIGUSR1', () => undefined);
  // EPIPE: the reader, such as `head`, closed the pipe.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  // Errors of stderr, such as a full disk, must not stop a schedule or interrupt a change.
  process.stderr.on('error', () => undefined);
  const { columnsOf } = await import('./commands/cli/output.ts');
  const { runProgram } = await import('./program.ts');
  await runProgram(process.argv.slice(2), version, {
    folder: process.cwd(),
    env: process.env,
    output: {
      stdout: process.stdout,
      stderr: process.stderr,
      noColor: Boolean(process.env.NO_COLOR),
      columns: columnsOf(process.env.COLUMNS),
    },
    userName: loggedInAs(),
    interactive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    exit: (code) => {
      process.exitCode = code;
    },
    endNow: (code) => process.exit(code),
    runBeside: (args, env) => {
      const program = [...process.execArgv, process.argv[1] ?? '', ...args];
      // Detached, because Ctrl-C reaches every process in the terminal's group.
      const child = spawn(process.execPath, program, {
        stdio: ['ignore', 'ignore', 'inherit'],
        detached: true,
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
    readBeside: (args, timeoutMs = 0) =>
      new Promise((resolve) => {
        const program = [...process.execArgv, process.argv[1] ?? '', ...args];
        // The terminal's colours and width do not fit a page.
        const env = { ...process.env, NO_COLOR: '1', COLUMNS: '100', PACEKEEPER_LOG: 'text' };
        const options = { env, maxBuffer: 16 * 1024 * 1024, timeout: timeoutMs };
        const child = execFile(process.execPath, program, options, (_error, stdout, stderr) =>
          resolve({ exitCode: child.exitCode, text: child.exitCode === 0 ? stdout : `${stdout}${stderr}`, stdout }),
        );
      }),
    takeStdio: () => {
      const write = process.stdout.write.bind(process.stdout);
      process.stdout.write = process.stderr.write.bind(process.stderr);
      return {
        input: process.stdin,
        output: new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, done) }),
      };
    },
    pageWorker: new URL('./page-worker.js', import.meta.url),
    exploreProgram: new URL('./explore-process.js', import.meta.url),
    onStop: (callback) => {
      const stop = () => {
        process.off('SIGINT', stop).off('SIGTERM', stop);
        callback();
      };
      process.on('SIGINT', stop).on('SIGTERM', stop);
    },
    onCrash: (tell) => {
      // Node would print the error without redaction. An error can contain secrets.
      process.on('uncaughtException', (error) => {
        const end = () => process.exit(1);
        tell(error).then(end, end);
      });
    },
  });
}

function loggedInAs(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container can run as a user without a name.
    return undefined;
  }
}
