import { InputError } from '../domain/errors.ts';
import { didYouMean } from '../gaql/check/suggest.ts';
import type { Rule } from '../rules/rule.ts';

/** The rule of that name. Throws `InputError` with the nearest name where there is none. */
export function ruleNamed(name: string, rules: readonly Rule[], example: string): Rule {
  const rule = rules.find((one) => one.name === name);
  if (rule) return rule;
  const names = rules.map((one) => one.name);
  throw new InputError(`There is no rule ${name}; there are ${names.join(', ') || 'none'}.`, {
    nextStep: didYouMean(name, names) ?? `Name a rule file without its ending: ${example}.`,
  });
}
