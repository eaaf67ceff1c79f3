import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const NEXT = 'next step: npx biome check --write . for programs; for other files, save them with line ends LF.';

it('lines end with LF, unless .gitattributes says that bytes count', () => {
  const lines = execFileSync('git', ['ls-files', '--eol', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  const found = [...lines.matchAll(/^i\/\S*\s+w\/(crlf|mixed)\s+attr\/(?!-text)[^\t]*\t(.*)$/gm)];
  expect(found.map(([, ends, path]) => `${path}: found line ends ${ends}, expected LF. ${NEXT}`)).toEqual([]);
});
