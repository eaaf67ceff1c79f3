import { runProgram } from '../../src/program.ts';
import { tempDir } from '../support/temp-dir.ts';

export interface ProgramResult {
  readonly code: number | undefined;
  /** A file in bytes is latin1. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** The terminal's width; without one, output goes to a pipe. */
  readonly columns?: number;
  /** How wide text is without a terminal, as COLUMNS says it. */
  readonly width?: number;
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly userName?: string;
  /** Called with each text as it is written. */
  readonly onWrite?: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Takes what a stop from outside calls; without it nothing stops the command. */
  readonly onStop?: (callback: () => void) => void;
  readonly exploreProgram?: URL;
}

/** Runs one command line in this process, with nothing of the test's environment but what is given. */
export async function runInProcess(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> {
  const { columns, width, folder = tempDir(), env = {}, userName } = options;
  const text = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof text) => ({
    write: (data: string | Uint8Array) => {
      const written = typeof data === 'string' ? data : Buffer.from(data).toString('latin1');
      text[name] += written;
      options.onWrite?.(name, written);
    },
    isTTY: columns !== undefined,
    columns,
  });
  let code: number | undefined;
  await runProgram(args, '0.0.0', {
    folder,
    env,
    output: { stdout: stream('stdout'), stderr: stream('stderr'), noColor: true, columns: width },
    userName,
    ...(options.exploreProgram && { exploreProgram: options.exploreProgram }),
    exit: (ended) => {
      code = ended;
    },
    runBeside: (more, moreEnv) => ({
      ended: runInProcess(more, { ...options, env: { ...env, ...moreEnv } }).then((beside) => beside.code ?? null),
      stop: () => undefined,
    }),
    readBeside: async (more) => {
      const beside = await runInProcess(more, { ...options, width: 100 });
      return { exitCode: beside.code ?? 0, text: beside.stdout + (beside.code === 0 ? '' : beside.stderr) };
    },
    onStop: options.onStop ?? (() => undefined),
  });
  return { code, ...text };
}
