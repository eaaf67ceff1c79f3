import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

/** `npm run schema`, after a new migration. test/store/generated.test.ts compares what is committed with what this would write. */
for (const [path, text] of await generatedFiles()) {
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}
