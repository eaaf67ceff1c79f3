import { loadCatalogue } from '../../config/load-catalogue.ts';
import type { Settings } from '../../config/settings.ts';
import { civilDateAt } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { type Mode, narrower, type Rule } from '../../rules/rule.ts';
import { type Inputs, isRuleFile, loadInputs, nameOf } from '../load-inputs.ts';

/** The rule of that name as its file is now; undefined where there is no such file. */
export type RuleNamed = (name: string) => Rule | undefined;

/** Reads the files anew, with what the settings alone give to their parameters. */
export function inputsNow({ paths, params, ads, extract }: Settings, nowMs: number): Promise<Inputs> {
  const today = civilDateAt(nowMs, 'UTC');
  const context = { catalogue: loadCatalogue(ads.catalogue), today, parameters: params, unbound: 'warning' as const };
  return loadInputs(paths.queries, paths.rules, () => context, extract.settleDays);
}

/** The rules by their files as they are now. The answer throws `InputError` for a rule whose file has an error. */
export async function rulesNow(settings: Settings, nowMs: number): Promise<RuleNamed> {
  const { rules, findings } = await inputsNow(settings, nowMs);
  const byName = rulesByName(rules);
  return (name) => {
    const rule = byName(name);
    const broken = findings.find(({ path }) => isRuleFile(path) && nameOf(path) === name);
    if (rule !== undefined || broken === undefined) return rule;
    throw new InputError(`The rule ${name} cannot be checked, so nothing was changed by it.`, {
      nextStep: 'Run pacekeeper check.',
      findings: [broken],
    });
  };
}

export function rulesByName(rules: readonly Rule[]): RuleNamed {
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  return (name) => byName.get(name);
}

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
