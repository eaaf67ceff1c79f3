import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, resolve } from 'node:path';
import { packageRoot } from '../../config/package-root.ts';
import type { Settings } from '../../config/settings.ts';

/** A file of queries, rules, models, targets or tests, as this process has read it. */
export interface ReadFile {
  readonly path: string;
  readonly source: string;
}

/**
 * Processes of the same group do the same with a task: they have the same program, settings and files. Each group has its own
 * queue, so an older worker never takes a task of a newer run. A file that changes later changes no group, because the
 * process still works by what it has read.
 */
export function workerGroup(
  { paths, target, ads, extract, automation, accounts, budgets, holidays, params, sandbox, startAtMs }: Settings,
  read: readonly ReadFile[],
  isClockWrong = false,
): string {
  const files = read.map(({ path, source }) => [basename(path), source]);
  const { concurrency: _, ...reading } = extract;
  const rules = { automation, accounts, budgets, holidays, params };
  // The embedded sandbox and its budgets are in the data folder.
  const place = target === 'sandbox' ? [hostname(), resolve(paths.data)] : undefined;
  const { version, access } = ads;
  const decided = { target, version, access, reading, rules, sandbox, place, files, startAtMs, isClockWrong };
  // The built file names all other files of the program by their content.
  const program = readFileSync(new URL('dist/main.js', packageRoot()), 'utf8');
  const text = JSON.stringify({ decided, program, node: process.versions.node }, plain);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Map || value instanceof Set ? [...value] : value;
}
