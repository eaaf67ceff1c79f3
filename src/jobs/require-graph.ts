import type { GraphConnection } from '../apis/graph/graph-connection.ts';
import type { AreasApp } from '../app.ts';
import { InputError } from '../domain/errors.ts';
import type { BusinessAccountId, GraphUserId } from '../domain/graph-ids.ts';

/** The messaging interface of the graph. Throws `InputError` where it is not configured; `without` says what cannot be done then. */
export function requireGraph({ graph }: Pick<AreasApp, 'graph'>, without: string): GraphConnection {
  if (graph) return graph;
  throw new InputError(`The messaging interface of the graph is not configured, so ${without}.`, {
    nextStep: 'Set GRAPH_URL and GRAPH_ACCESS_TOKEN; docs/configuration.md lists them.',
  });
}

/** The user that pages and permissions are asked of. Throws `InputError` where none is configured. */
export function requireUser({ userId }: GraphConnection, without: string): GraphUserId {
  return requireId(userId, 'GRAPH_USER_ID', without);
}

/** The account that phone numbers are asked of. Throws `InputError` where none is configured. */
export function requireAccount({ businessAccountId }: GraphConnection, without: string): BusinessAccountId {
  return requireId(businessAccountId, 'GRAPH_BUSINESS_ACCOUNT_ID', without);
}

function requireId<Id>(id: Id | undefined, name: string, without: string): Id {
  if (id !== undefined) return id;
  throw new InputError(`${name} is not set, so ${without}.`, { nextStep: `Set ${name} to a row of digits.` });
}
