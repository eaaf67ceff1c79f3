import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import { listAccessibleCustomers } from '../apis/ads/list-accessible-customers.ts';
import { validateQuery } from '../apis/ads/validate-query.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import type { Clock } from '../domain/clock.ts';
import { type Diagnostic, type Span, spanAt } from '../domain/diagnostic.ts';
import { InputError, type RemoteErrorDetail } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Log } from '../domain/log.ts';
import { queryForDay } from '../gaql/check/query-for-day.ts';
import type { FileFindings } from './load-inputs.ts';

interface Deps {
  readonly ads: AdsConnection;
  /** For people. */
  readonly target: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Adds what the service has against the queries that are right as far as can be told offline. One account is asked:
 * the first of `only`, or of those the credentials reach.
 */
export async function checkOnline(
  { ads, target, clock, log }: Deps,
  only: readonly CustomerId[],
  findings: readonly FileFindings[],
): Promise<readonly FileFindings[]> {
  const customer = only[0] ?? (await listAccessibleCustomers(ads))[0];
  if (customer === undefined) {
    throw new InputError('The credentials reach no account, so the service could not be asked.', {
      nextStep: 'Check ADS_LOGIN_CUSTOMER_ID, or name an account in ADS_CUSTOMER_IDS.',
    });
  }
  log.info(`Asked ${target}, account ${customer}.`);
  // Days of the account's calendar differ by one at most, and no answer depends on that.
  const today = civilDateAt(clock.now(), 'UTC');
  const asked: FileFindings[] = [];
  for (const file of findings) {
    const diagnostics = file.query ? await ask(file, queryForDay(file.query, today)) : [];
    asked.push({ ...file, diagnostics: [...file.diagnostics, ...diagnostics] });
  }
  return asked;

  async function ask({ file, source }: FileFindings, text: string): Promise<readonly Diagnostic[]> {
    const answer = await validateQuery(ads, customer as CustomerId, text);
    if (answer.kind === 'not_offered') log.warn(`${file}: this service cannot be asked whether a query is right.`);
    return answer.kind === 'refused' ? answer.details.map((detail) => diagnosticOf(detail, source)) : [];
  }
}

function diagnosticOf({ code, message }: RemoteErrorDetail, source: string): Diagnostic {
  return {
    code: code?.replace(/^\w+\./, '') ?? 'QUERY_ERROR',
    severity: 'error',
    span: placeOf(message, source),
    message: `The service says: ${message}`,
  };
}

/** Where the first thing that the service quotes stands in the file; its beginning when it quotes nothing of it. */
function placeOf(message: string, source: string): Span {
  for (const [, quoted = ''] of message.matchAll(/["']([^"']+)["']/g)) {
    const at = source.indexOf(quoted);
    if (at >= 0) return spanAt(source, at, at + quoted.length);
  }
  return spanAt(source, 0, 0);
}
