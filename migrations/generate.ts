import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

/**
 * Writes the generated files. Run `npm run schema` after a new migration. `test/store/generated.test.ts` fails if the
 * files are outdated.
 */
for (const [path, text] of await generatedFiles()) {
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}
