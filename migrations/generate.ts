import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

/** Run `npm run schema` after a new migration. `test/store/generated.test.ts` checks that the result is committed. */
for (const [path, text] of await generatedFiles()) {
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}
