import { civilDateAt } from '../../domain/civil-date.ts';
import type { Diagnostic, Span } from '../../domain/diagnostic.ts';
import { InputError, type RemoteErrorDetail } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { excludeAccounts, readTree } from '../../engine/accounts/account-trees.ts';
import type { FileFindings } from '../../engine/load-inputs.ts';
import { hasValues, queryForDay } from '../../language/gaql/check/query-for-range.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { Query } from '../../language/gaql/syntax/tree.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { listAccessibleCustomers } from '../../services/ads/list-accounts.ts';
import { withoutPlace } from '../../services/ads/read-failure.ts';
import { validateQuery } from '../../services/ads/validate-query.ts';

interface Deps {
  readonly ads: AdsConnection;
  readonly target: string;
  readonly excluded: readonly CustomerId[];
  readonly clock: Clock;
  readonly log: Log;
}

export async function checkOnline(
  { ads, target, excluded, clock, log }: Deps,
  only: readonly CustomerId[],
  findings: readonly FileFindings[],
): Promise<readonly FileFindings[]> {
  const customer = await firstAccount(ads, only, excluded);
  if (customer === undefined) {
    throw new InputError('Online check failed: no active account found. Managers and excluded accounts do not count.', {
      nextStep: 'Check ADS_LOGIN_CUSTOMER_ID and ads.exclude_customer_ids, or set ADS_CUSTOMER_IDS.',
    });
  }
  log.info(`Checking with ${target}, account ${customer}.`);
  // UTC is precise enough, because a difference of one day changes no answer.
  const today = civilDateAt(clock.now(), 'UTC');
  const asked: FileFindings[] = [];
  for (const file of findings) {
    const diagnostics = file.query && hasValues(file.query) ? await ask(file, file.query) : [];
    asked.push({ ...file, diagnostics: [...file.diagnostics, ...diagnostics] });
  }
  return asked;

  async function ask({ file }: FileFindings, query: QueryFile): Promise<readonly Diagnostic[]> {
    const answer = await validateQuery(ads, customer as CustomerId, queryForDay(query, today));
    if (answer.kind === 'not_offered') log.warn(`${file}: this service cannot validate queries.`);
    return answer.kind === 'refused' ? answer.details.map((detail) => diagnosticOf(detail, query)) : [];
  }
}

/** Managers have no statistics, so the account must not be a manager. */
async function firstAccount(
  ads: AdsConnection,
  only: readonly CustomerId[],
  excluded: readonly CustomerId[],
): Promise<CustomerId | undefined> {
  const roots = only.length > 0 ? only : (await listAccessibleCustomers(ads)).customers;
  for (const root of roots) {
    const tree = await readTree(ads, root);
    if (tree.kind === 'failed') throw tree.error;
    const ids = await excludeAccounts(ads, excluded, [tree]);
    const account = tree.clients.find(
      ({ customerId, manager, status = 'ENABLED' }) => !manager && status === 'ENABLED' && !ids.has(customerId),
    );
    if (!account) continue;
    ads.logins.set(account.customerId, ads.loginCustomerId ?? root);
    return account.customerId;
  }
  return undefined;
}

function diagnosticOf({ code, message }: RemoteErrorDetail, { tree }: QueryFile): Diagnostic {
  return {
    code: code?.replace(/^\w+\./, '') ?? 'QUERY_ERROR',
    severity: 'error',
    span: placeOf(message, tree),
    message: `The service says: ${withoutPlace(message)}`,
  };
}

/** Returns the place of the first quoted name that the query contains, or of the word SELECT. */
function placeOf(message: string, tree: Query): Span {
  const { select, from, where, orderBy } = tree;
  const conditions = where.map(({ field }) => field);
  const orderings = orderBy.map(({ field }) => field);
  const first = /ORDER.?BY/.test(message) ? orderings : message.includes('WHERE') ? conditions : [];
  const named = [...first, ...select, ...(from ? [from] : []), ...conditions, ...orderings];
  for (const [, quoted] of message.matchAll(/["']([^"']+)["']/g)) {
    const place = named.find(({ name }) => name === quoted)?.span;
    if (place) return place;
  }
  const { start } = tree.span;
  return { start, end: start };
}
