import type { CommonOptions } from './common-options.ts';

/** The places that were named, as another command line of the program takes them. */
export function pathArgs({ config, queries, rules, dataDir }: CommonOptions): string[] {
  const named = { '--config': config, '--queries': queries, '--rules': rules, '--data-dir': dataDir };
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}
