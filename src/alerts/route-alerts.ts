import type { AlertRecipient, AlertRoute } from '../config/alert-settings.ts';
import { type AlertSubject, matchesName } from './silence-matches.ts';

export interface Routing {
  readonly recipients: readonly AlertRecipient[];
  /** Why nobody is told; undefined when somebody is. */
  readonly nobody: string | undefined;
}

/**
 * Who is told: every recipient of every route that matches, each once; everybody where there are no routes. What no route
 * is for goes to everybody when it is critical, and otherwise to nobody but the daily digest, which counts it.
 */
export function routeAlert(
  alert: AlertSubject,
  { recipients, routes }: { readonly recipients: readonly AlertRecipient[]; readonly routes: readonly AlertRoute[] },
): Routing {
  const matching = routes.filter((route) => isFor(route, alert));
  if (matching.length > 0) {
    const names = new Set(matching.flatMap(({ to }) => to));
    return { recipients: recipients.filter(({ name }) => names.has(name)), nobody: undefined };
  }
  if (routes.length === 0 || alert.severity === 'critical') return { recipients, nobody: undefined };
  return { recipients: [], nobody: 'No route is for it (alerts.routes).' };
}

function isFor({ severities, accounts, rules }: AlertRoute, { severity, customerId, rule }: AlertSubject): boolean {
  return (
    (severities === undefined || severities.includes(severity)) &&
    (accounts === undefined || (customerId !== undefined && accounts.includes(customerId))) &&
    (rules === undefined || rules.some((pattern) => matchesName(pattern, rule)))
  );
}
