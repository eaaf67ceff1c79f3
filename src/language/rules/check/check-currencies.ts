import { type Diagnostic, finding } from '../../../domain/diagnostic.ts';
import { listed } from '../../../domain/wording.ts';
import type { Rule } from '../rule.ts';

export interface RuleFinding {
  readonly rule: Rule;
  readonly diagnostic: Diagnostic;
}

/** With several currencies, each rule with an amount must name its currency. */
export function checkCurrencies(rules: readonly Rule[], currencies: readonly string[]): RuleFinding[] {
  const several = [...new Set(currencies)].sort();
  if (several.length < 2) return [];
  return rules.flatMap((rule) => {
    if (rule.amountAt === undefined || rule.currency !== undefined) return [];
    const message = `The rule has an amount without a currency, but the accounts use ${listed(several)}.`;
    const hint = `Add "currency: ${several[0]}" to the rule, and write one rule per currency.`;
    const diagnostic = finding('AMOUNT_WITHOUT_CURRENCY', rule.amountAt, message, hint);
    return [{ rule, diagnostic }];
  });
}
