import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../migrations/generated-files.ts';

it.each(await generatedFiles())('%s matches the output of npm run schema', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});
