import { onTestFinished } from 'vitest';
import type { Process } from '../../../src/commands/cli/process.ts';
import { runProgram } from '../../../src/program.ts';
import { runInProcess } from '../run-in-process.ts';

export interface Served {
  /** What was printed when it was ready. */
  readonly ready: { readonly address: string; readonly webhooks: Readonly<Record<string, string>> };
  readonly stderr: () => string;
  /** Resolves when the log holds it. */
  until(words: RegExp): Promise<void>;
  /** What Ctrl-C does; resolves with the exit code. */
  stop(): Promise<number | undefined>;
}

/** `pacekeeper serve` in this process on a free port, ended with the test. Rejects when it does not start. */
export async function serveInProcess(
  folder: string,
  env: Readonly<Record<string, string>>,
  more: Pick<Process, 'exploreProgram'> = {},
): Promise<Served> {
  let stdout = '';
  let stderr = '';
  let code = undefined as number | undefined;
  let onStopped = (): void => undefined;
  let onWritten = (): void => undefined;
  const stream = (write: (text: string) => void) => ({
    write: (text: string) => {
      write(text);
      onWritten();
    },
  });
  const ended = runProgram(['serve'], '0.0.0', {
    folder,
    env: { SERVE_PORT: '0', ...env },
    userName: undefined,
    ...more,
    output: {
      stdout: stream((text) => {
        stdout += text;
      }),
      stderr: stream((text) => {
        stderr += text;
      }),
      noColor: true,
    },
    // The pass over the inbox, which is a process of its own elsewhere, writes to the same log.
    runBeside: (args) => ({
      ended: runInProcess(args, { folder, env }).then((once) => {
        stderr += once.stderr;
        onWritten();
        return once.code ?? null;
      }),
      stop: () => undefined,
    }),
    readBeside: async (args) => {
      const once = await runInProcess(args, { folder, env, width: 100, ...more });
      const { stdout } = once;
      return { exitCode: once.code ?? 0, text: once.code === 0 ? stdout : stdout + once.stderr, stdout };
    },
    exit: (exitCode) => {
      code = exitCode;
    },
    onStop: (callback) => {
      onStopped = callback;
    },
  });
  const seen = (isThere: () => boolean) =>
    new Promise<void>((found) => {
      onWritten = () => isThere() && found();
      onWritten();
    });
  const stop = async () => {
    onStopped();
    await ended;
    return code;
  };
  await Promise.race([seen(() => stdout.endsWith('\n')), ended]);
  onTestFinished(() => void stop());
  return { ready: JSON.parse(stdout), stderr: () => stderr, until: (words) => seen(() => words.test(stderr)), stop };
}
