import { type Mode, narrower, type Rule } from '../rules/rule.ts';

/** Why what a rule decided on does not hold any more. */
export interface Lapse {
  readonly code: 'RULE_GONE' | 'RULE_CHANGED' | 'MODE_NARROWED' | 'ACCOUNT_EXCLUDED';
  /** One sentence for a person. */
  readonly reason: string;
}

/**
 * Why a rule, as it is now, may not go on with a change it decided on; undefined where it may. Another wording may not make the
 * same change, and only numbers could tell: it decides anew. A decision of before versions were written down has none.
 *
 * @param needed How far it must be let go: `approve` where a person lets it through, `apply` where nobody does.
 */
export function lapsedRight(
  decided: { readonly rule: string; readonly ruleVersion: string },
  rule: Rule | undefined,
  widest: Mode,
  needed: Exclude<Mode, 'propose'>,
): Lapse | undefined {
  if (rule === undefined) {
    return { code: 'RULE_GONE', reason: `There is no rule ${decided.rule} any more, so there is nothing to approve.` };
  }
  if (narrower(widest, needed) !== needed) {
    return { code: 'MODE_NARROWED', reason: `It needs mode ${needed}, and automation.mode is ${widest}. ${WIDEN}` };
  }
  if (narrower(rule.mode, needed) !== needed) {
    return { code: 'MODE_NARROWED', reason: `It needs mode ${needed}, and the rule's mode is ${rule.mode}. ${WIDEN}` };
  }
  if (decided.ruleVersion === '' || decided.ruleVersion === rule.version) return undefined;
  const versions = `version ${decided.ruleVersion} is ${rule.version} now`;
  return {
    code: 'RULE_CHANGED',
    reason: `The rule ${rule.name} was changed since: ${versions}. The next report decides by it.`,
  };
}

const WIDEN = 'Widen it, and the next report decides anew.';
