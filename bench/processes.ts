import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Measurement } from './measurement.ts';

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
  return withStarted(folder, ['serve'], { SERVE_PORT: '0', ...environment }, (said) =>
    work((JSON.parse(said) as { readonly address: string }).address),
  );
}

/** The program leaves its largest memory in the folder. */
const NOTE_MEMORY = ['--import', pathToFileURL(childPath('accounts/note-memory')).href];
const memoryIn = (folder: string) => join(folder, 'memory');

/** The largest memory of the last program that ended in the folder. */
export const peakMiBIn = (folder: string): number => Number(readFileSync(memoryIn(folder), 'utf8')) / 1024;

/** Runs a command that stays in the folder while `work` does; `work` is given what it printed first. */
export async function withStarted<Result>(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  work: (said: string) => Promise<Result>,
): Promise<Result> {
  mkdirSync(folder, { recursive: true });
  const program = spawn(process.execPath, [...NOTE_MEMORY, PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, BENCH_MEMORY: memoryIn(folder), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'close');
  try {
    const [said] = await Promise.race([once(program.stdout.setEncoding('utf8'), 'data'), ended]);
    if (typeof said !== 'string') throw new Error(`${args[0]} ended before it printed its address.`);
    return await work(said);
  } finally {
    program.kill('SIGINT');
    await ended;
  }
}

/**
 * Runs the program in the folder, with this environment and no other, to its end. Seconds are those of the whole cold
 * process. Throws with the end of what it wrote when it does not end with 0.
 */
export async function runProgram(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Measurement> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...NOTE_MEMORY, PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', BENCH_MEMORY: memoryIn(folder), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  for await (const text of child.stderr.setEncoding('utf8')) said = (said + text).slice(-2_000);
  const [code, signal] = await ended;
  const seconds = (performance.now() - startedMs) / 1_000;
  if (code !== 0)
    throw new Error(`pacekeeper ${args[0]}: found ${signal ?? `exit status ${code}`}, expected 0.\n${said}`);
  return { seconds, peakMiB: peakMiBIn(folder) };
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
