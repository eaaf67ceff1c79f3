import { answerRequest } from './answer-request.ts';
import type { ReadRequest } from './read-request.ts';
import { jsonReply, type Reply } from './reply.ts';
import type { Service } from './service.ts';

const OTHER_QUERY = 'SELECT customer.id, customer.descriptive_name FROM customer';

/** A good answer to what was not asked, as from a proxy that mixes answers up. What the request asks for is done. */
export function answerToAnother(
  service: Service,
  request: ReadRequest,
  requestId: string,
  kind: 'other_account' | 'other_answer',
): Reply {
  const own = answerRequest(service, request, requestId, undefined);
  return kind === 'other_account'
    ? forOtherAccount(service, request, requestId, own)
    : toOtherQuestion(service, request, requestId);
}

function forOtherAccount(service: Service, request: ReadRequest, requestId: string, own: Reply): Reply {
  const { route } = request;
  const other = 'customer' in route && service.market.accounts.find(({ customerId }) => customerId !== route.customer);
  if (!other) return own;
  if (route.kind !== 'mutate') {
    const redirected = { ...request, route: { ...route, customer: other.customerId } };
    return answerRequest(service, redirected, requestId, undefined);
  }
  if (own.body.kind !== 'text') return own;
  const text = own.body.text.replaceAll(`customers/${route.customer}/`, `customers/${other.customerId}/`);
  return { ...own, body: { ...own.body, text } };
}

function toOtherQuestion(service: Service, request: ReadRequest, requestId: string): Reply {
  const { kind } = request.route;
  if (kind === 'stream' || kind === 'search') {
    return answerRequest(service, { ...request, json: { query: OTHER_QUERY } }, requestId, undefined);
  }
  if (kind === 'list') return jsonReply(200, { results: [{ resourceName: 'customers/1/campaignBudgets/1' }] });
  return jsonReply(200, { resourceNames: service.tree.accessible.map((id) => `customers/${id}`) });
}
