import { expect, it } from 'vitest';
import { MODES, narrower } from '../../src/language/rules/rule.ts';

it('the narrower of two modes is the earlier of propose, approve and apply', () => {
  expect(MODES).toEqual(['propose', 'approve', 'apply']);
  expect(MODES.map((a) => MODES.map((b) => narrower(a, b)))).toEqual([
    ['propose', 'propose', 'propose'],
    ['propose', 'approve', 'approve'],
    ['propose', 'approve', 'apply'],
  ]);
});
