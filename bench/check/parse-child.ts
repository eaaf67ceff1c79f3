import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseQuery } from '../../src/language/gaql/syntax/parse-query.ts';

/**
 * `parse-child.js FOLDER`: reads the folder's files and parses each: the part of a check that no checker can leave
 * out. Prints how many there were.
 */
const folder = process.argv[2] ?? '';
const names = readdirSync(folder);
for (const name of names) {
  const { diagnostics } = parseQuery(readFileSync(join(folder, name), 'utf8'));
  if (diagnostics.length > 0) throw new Error(`Parsing ${name}: found ${diagnostics[0]?.message}`);
}
process.stdout.write(`${names.length} files\n`);
