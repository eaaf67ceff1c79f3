import type { Diagnostic } from '../../domain/diagnostic.ts';
import { listed } from '../../domain/wording.ts';
import type { Rule } from '../rule.ts';

/** A finding about a rule's file. */
export interface RuleFinding {
  readonly rule: Rule;
  readonly diagnostic: Diagnostic;
}

/** The rules that name an amount without saying of which currency, where the accounts have several. */
export function checkCurrencies(rules: readonly Rule[], currencies: readonly string[]): RuleFinding[] {
  const several = [...new Set(currencies)].sort();
  if (several.length < 2) return [];
  return rules.flatMap((rule) => {
    if (rule.amountAt === undefined || rule.currency !== undefined) return [];
    const diagnostic: Diagnostic = {
      code: 'AMOUNT_WITHOUT_CURRENCY',
      severity: 'error',
      span: rule.amountAt,
      message: `The rule names an amount of money, and the accounts have ${listed(several)}: it would mean another amount in each.`,
      hint: `Add currency: ${several[0]} to the rule, and write one rule for each currency.`,
    };
    return [{ rule, diagnostic }];
  });
}
