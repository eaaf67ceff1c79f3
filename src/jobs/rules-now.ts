import { loadCatalogue } from '../config/load-catalogue.ts';
import type { Settings } from '../config/settings.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import type { Rule } from '../rules/rule.ts';
import { type Inputs, isRuleFile, loadInputs, nameOf } from './load-inputs.ts';

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
