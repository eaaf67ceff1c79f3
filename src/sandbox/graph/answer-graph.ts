import { createHmac } from 'node:crypto';
import { unreachable } from '../../domain/errors.ts';
import { isJsonObject, type ReadRequest } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Service } from '../service.ts';
import { badParameter, badProof, badToken, unknownPath, unsupportedObject } from './graph-errors.ts';
import { PAGES, PERMISSIONS, phoneNumbers } from './graph-objects.ts';
import { pageOf } from './page-of.ts';
import type { GraphRoute } from './route-graph.ts';
import { sendText } from './send-text.ts';

type ObjectRoute = Extract<GraphRoute, { readonly id: string }>;

/** The answer to a request of area A. The order of the checks: path, token and proof, object, body. */
export function answerGraph(service: Service, request: ReadRequest, route: GraphRoute, requestId: string): Reply {
  const { recorded } = request;
  const { pathname, searchParams: query } = new URL(recorded.path, 'http://sandbox');
  if (route.kind === 'graph_unknown') return unknownPath(pathname, requestId);
  const closed = refuseToken(service, request, query, requestId);
  if (closed) return closed;
  if (!hasOperation(service, route)) return unsupportedObject(recorded.method, route.id, requestId);
  switch (route.kind) {
    case 'graph_send': {
      const type = recorded.headers['content-type'] ?? 'no content type';
      if (/^application\/json\s*(;|$)/i.test(type)) return sendText(service, request.json, requestId);
      return badParameter(`Found ${type}, expected application/json.`, requestId);
    }
    case 'graph_phone_numbers':
      return listed(phoneNumbers(service.credentials), (one) => one);
    case 'graph_accounts':
      // The specification shows no fields of an element.
      return listed(pagesOf(service), (page) => (service.strict ? {} : page));
    case 'graph_permissions':
      return jsonReply(200, { data: permissionsOf(service) });
    case 'graph_revoke':
      service.store.setDone('permissions_revoked');
      return jsonReply(200, service.strict ? {} : { success: true });
    case 'graph_unsupported':
      return unsupportedObject(recorded.method, route.id, requestId);
    default:
      return unreachable(route);
  }

  function listed<Item extends { readonly id: string }>(items: readonly Item[], show: (item: Item) => object): Reply {
    // The specification shows no paging.
    if (service.strict) return jsonReply(200, { data: items.map(show) });
    const page = pageOf(items, query, `http://${recorded.headers.host}${pathname}`, show);
    return page.kind === 'page' ? jsonReply(200, page.body) : badParameter(page.sentence, requestId);
  }
}

/** The token may stand in the header or in the query (requirement A10). A proof that is sent has to be right. */
function refuseToken(
  { credentials }: Service,
  { recorded, json }: ReadRequest,
  query: URLSearchParams,
  requestId: string,
): Reply | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(recorded.headers.authorization ?? '')?.[1];
  const token = bearer ?? query.get('access_token') ?? undefined;
  if (token === undefined) return badToken('An access token is required to request this resource.', requestId);
  const { accessToken, appSecret } = credentials.graph;
  if (token !== accessToken) return badToken('Invalid OAuth access token - Cannot parse access token', requestId);
  const proof = query.get('appsecret_proof') ?? (isJsonObject(json) ? json.appsecret_proof : undefined);
  if (proof === undefined) return undefined;
  const expected = createHmac('sha256', appSecret).update(token).digest('hex');
  return proof === expected ? undefined : badProof(requestId);
}

/** The three kinds of ids look alike, and each has operations of its own (requirement A6). */
function hasOperation({ credentials }: Service, { kind, id }: ObjectRoute): boolean {
  switch (kind) {
    case 'graph_send':
      return phoneNumbers(credentials).some((number) => number.id === id);
    case 'graph_phone_numbers':
      return id === credentials.graph.businessAccountId;
    case 'graph_accounts':
    case 'graph_permissions':
    case 'graph_revoke':
      return id === credentials.graph.userId;
    case 'graph_unsupported':
      return false;
    default:
      return unreachable(kind);
  }
}

/**
 * Rule 5 of 4.1: the list is empty although the permissions are granted, until they were revoked and the app's business
 * features deactivated.
 */
function pagesOf({ store }: Service): typeof PAGES {
  return store.isDone('permissions_revoked') && store.isDone('features_deactivated') ? PAGES : [];
}

/** None between the two steps of the remedy; after the second, the user has granted them anew. */
function permissionsOf({ store }: Service): object[] {
  if (store.isDone('permissions_revoked') && !store.isDone('features_deactivated')) return [];
  return PERMISSIONS.map((permission) => ({ permission, status: 'granted' }));
}
