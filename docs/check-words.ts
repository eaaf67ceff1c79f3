import { globSync, readFileSync } from 'node:fs';
import { wordFindings } from './word-findings.ts';

/**
 * `npm run words`: each place in the pages, the comments and the messages of `src` that breaks the rules of plain English. Pages
 * that `npm run docs` writes whole have their words in `src`.
 */
const GENERATED = [
  'docs/commands.md',
  'docs/configuration.md',
  'docs/query-language.md',
  'src/storage/records/made-by-migrations.ts',
];

const paths = ['README.md', 'SECURITY.md', ...globSync('docs/*.md'), ...globSync('src/**/*.ts')]
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !GENERATED.includes(path))
  .toSorted();
for (const path of paths) {
  for (const { line, column, words, use } of wordFindings(path, readFileSync(path, 'utf8'))) {
    process.stdout.write(`${path}:${line}:${column}  ${words}  use: ${use}\n`);
    process.exitCode = 1;
  }
}
