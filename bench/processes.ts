import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built program. */
export const PROGRAM = resolve('dist/main.js');

/** The path of a built process of ours: `rules/fill-rules` is `rules/fill-rules-child.js` beside the program that runs. */
export const childPath = (name: string): string => fileURLToPath(new URL(`./${name}-child.js`, import.meta.url));

/** They measure the product, so they have the memory setting of `src/main.ts`, which works only after the start. */
const OF_THE_PRODUCT = new Set([
  'extraction/extract',
  'publish/publish',
  'rules/rules',
  'page/page',
  'backtest/backtest',
  'simulate/simulate',
]);

export const SET_MEMORY = "setFlagsFromString('--semi-space-growth-factor=1')";
const MEMORY_SETTING = [
  '--import',
  `data:text/javascript,import { setFlagsFromString } from 'node:v8'; ${SET_MEMORY};`,
];

/** Runs one of our processes to its end and reads the JSON it prints. Rejects when it fails. */
export async function runChild<Result>(name: string, job: unknown): Promise<Result> {
  const flags = OF_THE_PRODUCT.has(name) ? MEMORY_SETTING : [];
  const child = spawn(process.execPath, [...flags, childPath(name), JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) printed += text;
  const [code, signal] = await ended;
  if (code !== 0) throw new Error(`${name}-child failed: found ${signal ?? `exit status ${code}`}, expected 0.`);
  return JSON.parse(printed) as Result;
}

/** Runs one of our servers while `work` does; `work` is given the address that it printed. */
export async function withServer<Result>(
  name: string,
  job: unknown,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = spawn(process.execPath, [childPath(name), JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(server, 'close');
  try {
    const [address] = await Promise.race([once(server.stdout.setEncoding('utf8'), 'data'), ended]);
    if (typeof address !== 'string') throw new Error(`${name}-child ended before it printed its address.`);
    return await work(address.trim());
  } finally {
    server.stdin.end();
    await ended;
  }
}

/** Runs `pacekeeper serve` in the folder while `work` does. */
export async function withProgram<Result>(
  folder: string,
  environment: Readonly<Record<string, string>>,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  mkdirSync(folder, { recursive: true });
  const program = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, SERVE_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'close');
  try {
    const [line] = await Promise.race([once(program.stdout.setEncoding('utf8'), 'data'), ended]);
    if (typeof line !== 'string') throw new Error('serve ended before it printed its address.');
    return await work((JSON.parse(line) as { readonly address: string }).address);
  } finally {
    program.kill('SIGINT');
    await ended;
  }
}

/** Seconds from the start of a cold process of this script to its end. Throws when it does not end with 0. */
export function timeProcess(script: string, args: readonly string[], folder: string): number {
  const startedMs = performance.now();
  const { status, signal, error } = spawnSync(process.execPath, [script, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${script} failed: found ${signal ?? `exit status ${status}`}, expected 0.`);
  return seconds;
}
