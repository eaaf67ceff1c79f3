import { readFileSync, writeFileSync } from 'node:fs';
import { generatedPages } from './generator/generated-pages.ts';

/**
 * `npm run docs`: writes every page, and every part of a page, that follows from the code. test/docs/generated.test.ts
 * compares what is committed with what this would write.
 */
for (const [path, text] of generatedPages((page) => readFileSync(page, 'utf8'))) {
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}
