import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../config/package-root.ts';
import type { Settings } from '../../config/settings.ts';

/**
 * Processes of the same group do the same with a task: they have the same program, settings and files. Each group has its own
 * queue, so an older worker never takes a task of a newer run.
 */
export function workerGroup(
  { paths, target, ads, extract, automation, accounts, budgets, holidays, params, sandbox, startAtMs }: Settings,
  isClockWrong = false,
): string {
  const files = [paths.queries, paths.rules, paths.models, paths.targets].map((folder) =>
    filesIn(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
  const { concurrency: _, ...reading } = extract;
  const rules = { automation, accounts, budgets, holidays, params };
  // The embedded sandbox and its budgets are in the data folder.
  const place = target === 'sandbox' ? [hostname(), resolve(paths.data)] : [];
  const { version, access } = ads;
  const decided = { target, version, access, reading, rules, sandbox, place, files, startAtMs, isClockWrong };
  // The built file names all other files of the program by their content.
  const program = readFileSync(new URL('dist/main.js', packageRoot()), 'utf8');
  const text = JSON.stringify({ decided, program, node: process.versions.node }, plain);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.\w+$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Map || value instanceof Set ? [...value] : value;
}
