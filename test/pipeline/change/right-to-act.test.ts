import { describe, expect, it } from 'vitest';
import { lapsedRight } from '../../../src/engine/change/change-budgets.ts';
import type { Mode, Rule } from '../../../src/language/rules/rule.ts';
import { ruleOf } from '../../rules/rule-fixtures.ts';

const asIs = (mode: Mode): Rule => ruleOf({ mode });
const by = (rule: Rule) => ({ rule: rule.name, ruleVersion: rule.version });

describe("a rule's decision", () => {
  it.each<[Mode, Mode, 'approve' | 'apply', boolean]>([
    ['apply', 'apply', 'apply', true],
    ['apply', 'approve', 'apply', false],
    ['approve', 'apply', 'apply', false],
    ['approve', 'apply', 'approve', true],
    ['apply', 'approve', 'approve', true],
    ['propose', 'apply', 'approve', false],
    ['apply', 'propose', 'approve', false],
  ])('with rule mode %s, automation mode %s and required mode %s: allowed is %s', (mode, widest, needed, holds) => {
    const rule = asIs(mode);
    expect(lapsedRight(by(rule), rule, widest, needed)?.code).toBe(holds ? undefined : 'MODE_NARROWED');
  });

  it('is not allowed without its rule, nor after a change of the rule', () => {
    const before = ruleOf({ limits: '{ floor: 5 }' });
    const now = ruleOf({ limits: '{ floor: 50 }', mode: 'apply' });
    expect(lapsedRight(by(before), undefined, 'apply', 'apply')).toEqual({
      code: 'RULE_GONE',
      reason: 'The rule a-rule no longer exists, so there is nothing to approve.',
    });
    expect(lapsedRight(by(before), now, 'apply', 'apply')).toEqual({
      code: 'RULE_CHANGED',
      reason: `The rule a-rule has changed: version ${before.version} is now ${now.version}. The next report uses it.`,
    });
  });

  it('is allowed if no version was recorded', () => {
    expect(lapsedRight({ rule: 'a-rule', ruleVersion: '' }, asIs('apply'), 'apply', 'apply')).toBeUndefined();
  });
});
