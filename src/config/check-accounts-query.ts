import { checkQueryFile } from '../language/gaql/query-file.ts';
import { NEWEST_CATALOGUE } from './declared/advertising.ts';
import type { Problem } from './given.ts';
import { loadCatalogue } from './load-catalogue.ts';

/** Callers pass this check as a parameter, because loading the check is slow. */
export type AccountsQueryCheck = (query: string) => readonly Problem[];

export const accountsQueryProblems: AccountsQueryCheck = (text) => {
  // Other catalogues may lack the list of accounts, which the query reads.
  const catalogue = loadCatalogue(NEWEST_CATALOGUE);
  const { query, diagnostics } = checkQueryFile('accounts_query', text, { catalogue });
  const says = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ span: { start }, message, hint }) => {
      const where = start.line === 1 ? `column ${start.column}` : `line ${start.line}, column ${start.column}`;
      return `has an error in ${where}: ${[message, hint].filter(Boolean).join(' ')}`;
    });
  if (query !== undefined && query.resource !== 'customer_client') {
    says.push(`reads ${query.resource}, expected FROM customer_client.`);
  } else if (query?.columns.every(({ field }) => field !== 'customer_client.id')) {
    says.push('lacks customer_client.id. Add it after SELECT.');
  }
  return says.map((one) => ({ at: ['ads', 'accounts_query'], says: one }));
};
