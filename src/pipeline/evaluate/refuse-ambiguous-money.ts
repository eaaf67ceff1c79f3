import { InputError } from '../../domain/errors.ts';
import { checkCurrencies } from '../../rules/check/check-currencies.ts';
import type { RunAccount } from '../accounts/discover-accounts.ts';
import type { FileFindings, Inputs } from '../load-inputs.ts';

/** The findings of all files, with those about amounts whose currency nobody can know. */
export function currencyFindings(inputs: Inputs, currencies: readonly string[]): readonly FileFindings[] {
  const found = checkCurrencies(inputs.rules, currencies);
  return inputs.findings.map((file) => {
    const own = found.filter(({ rule }) => rule === file.rule).map(({ diagnostic }) => diagnostic);
    const diagnostics = [...file.diagnostics, ...own].sort((a, b) => a.span.start.offset - b.span.start.offset);
    return own.length === 0 ? file : { ...file, diagnostics };
  });
}

/** Refuses rules that name an amount without saying in which currency, where the accounts have several. */
export function refuseAmbiguousMoney(inputs: Inputs, accounts: readonly RunAccount[]): void {
  const findings = currencyFindings(
    inputs,
    accounts.flatMap(({ currency }) => currency ?? []),
  );
  const wrong = findings.filter(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'));
  if (wrong.length === 0) return;
  const names = wrong.flatMap(({ rule }) => rule?.name ?? []).join(', ');
  throw new InputError(`${names}: an amount without a currency, and the accounts have several.`, {
    nextStep: 'Add a line such as "currency: EUR" to the rule. Nothing was read or changed.',
    findings: wrong,
  });
}
