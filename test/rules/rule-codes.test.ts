import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CODES } from '../../src/gaql/codes/codes.ts';
import { RULE_CODES } from '../../src/rules/rule-codes.ts';

/** The codes that a room's sources give to findings. */
function codesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== 'rule-codes.ts' && name !== 'guard.ts' && name !== 'evaluate-rule.ts')
    .flatMap((name) => [
      ...readFileSync(`${folder}/${name}`, 'utf8').matchAll(/(?:code: |report\(|refuse\(|finding\()'([A-Z_]+)'/g),
    ])
    .flatMap(([, code]) => code ?? []);
}

it('every code of a rule or settings file can be explained, and no other', () => {
  const reported = new Set([...codesIn('src/rules'), ...codesIn('src/yaml')]);
  expect(reported.size).toBeGreaterThan(8);
  expect([...reported].filter((code) => !CODES.has(code) && !RULE_CODES.has(code))).toEqual([]);
  expect([...RULE_CODES.keys()].filter((code) => !reported.has(code))).toEqual([]);
});
