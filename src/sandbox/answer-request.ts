import { unreachable } from '../domain/errors.ts';
import { parseJson } from '../domain/parse-json.ts';
import type { AccountTree } from './ads/account-tree.ts';
import { adsError, adsFailure } from './ads/ads-errors.ts';
import { fieldNamed, searchFields } from './ads/field-service.ts';
import { keywordIdeas } from './ads/keyword-ideas.ts';
import { mutateBudgets, type RefusedOperations } from './ads/mutate-budgets.ts';
import { searchStream, validateQuery } from './ads/search-stream.ts';
import { answerContainer } from './container/answer-container.ts';
import type { SandboxCredentials } from './credentials.ts';
import { answerGraph } from './graph/answer-graph.ts';
import { answerMessages } from './messages/answer-messages.ts';
import { answerPosted } from './posted/answer-posted.ts';
import { bearerOf, isJsonObject, type ReadRequest, type Route } from './read-request.ts';
import { HTML_TYPE, htmlPage, jsonReply, type Reply, textReply } from './reply.ts';
import type { AdsCall, Service } from './service.ts';
import { JWT_BEARER, refuseAssertion } from './service-account.ts';

/** Checks happen in this order: content length, path, credentials, body, account. */
export function answerRequest(
  service: Service,
  request: ReadRequest,
  requestId: string,
  refusal: RefusedOperations | undefined,
): Reply {
  const { route } = request;
  if (request.problem === 'no_content_length') {
    const sentence = 'POST requests require a <code>Content-length</code> header.';
    return textReply(411, HTML_TYPE, htmlPage(411, 'Length Required', sentence), { connection: 'close' });
  }
  if (request.problem === 'too_large') {
    const sentence = 'Your client issued a request that was too large.';
    return textReply(413, HTML_TYPE, htmlPage(413, 'Request Entity Too Large', sentence), { connection: 'close' });
  }
  switch (route.kind) {
    case 'list':
      return authenticated(service, request) ?? listCustomers(service);
    case 'fields':
    case 'field': {
      // The specification does not describe this request.
      if (service.strict) return notFound(request);
      return authenticated(service, request) ?? answerFieldService(request, route, requestId);
    }
    case 'search':
    case 'stream':
    case 'mutate':
    case 'ideas': {
      // The specification does not describe a search with pages.
      if (route.kind === 'search' && service.strict) return notFound(request);
      const answer = authenticated(service, request) ?? answerAdsCall(service, request, route, requestId, refusal);
      return route.kind === 'stream' && !service.strict ? wrapError(answer) : answer;
    }
    case 'message':
    case 'message_list':
    case 'message_fetch':
      return answerMessages(service, request, route);
    case 'graph_send':
    case 'graph_phone_numbers':
    case 'graph_accounts':
    case 'graph_permissions':
    case 'graph_revoke':
    case 'graph_unsupported':
    case 'graph_unknown':
      return answerGraph(service, request, route, requestId);
    case 'container_login':
    case 'container_users':
    case 'container_health':
      return answerContainer(service, request, route);
    case 'posted':
      return answerPosted(service, request, route);
    case 'token':
      // The specification shows no endpoint that issues tokens.
      if (service.strict) return notFound(request);
      return answerToken(service, new URLSearchParams(request.text));
    case 'other':
      return notFound(request);
    default:
      return unreachable(route);
  }
}

function answerFieldService(
  request: ReadRequest,
  route: Extract<Route, { kind: 'fields' | 'field' }>,
  requestId: string,
): Reply {
  if (route.kind === 'field') {
    const field = fieldNamed(route.name, route.version);
    return field === undefined ? notFound(request) : jsonReply(200, field, { 'request-id': requestId });
  }
  return (
    wrongBody(request) ?? searchFields(request.json as Readonly<Record<string, unknown>>, route.version, requestId)
  );
}

function wrongBody({ recorded, json }: ReadRequest): Reply | undefined {
  const type = recorded.headers['content-type'] ?? 'no content type';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return adsError('INVALID_ARGUMENT', `Invalid payload received. Found ${type}, expected application/json.`);
  }
  if (isJsonObject(json)) return undefined;
  return adsError('INVALID_ARGUMENT', 'Invalid JSON payload received. Expected a JSON object as text.');
}

/** Only failures of a search carry details (section 7.3). */
export function asSpecified(reply: Reply, { route }: ReadRequest): Reply {
  const { 'request-id': _, ...headers } = reply.headers;
  const json = reply.body.kind === 'text' && parseJson(reply.body.text);
  if (!isJsonObject(json) || !isJsonObject(json.error) || route.kind === 'stream') return { ...reply, headers };
  const { details: __, ...error } = json.error;
  return jsonReply(reply.status, { error }, headers);
}

function notFound({ recorded }: ReadRequest): Reply {
  return adsError('NOT_FOUND', `There is no ${recorded.method} ${recorded.path} here.`);
}

/** The service wraps every error of a stream in an array. */
function wrapError(reply: Reply): Reply {
  const { status, body } = reply;
  if (status < 400 || body.kind !== 'text') return reply;
  return { ...reply, body: { kind: 'text', text: `[${body.text}]` } };
}

function listCustomers({ tree }: Service): Reply {
  return jsonReply(200, { resourceNames: tree.accessible.map((id) => `customers/${id}`) });
}

/** Requirement B11: checks the bearer token. */
function authenticated({ credentials, tokens }: Service, request: ReadRequest): Reply | undefined {
  const token = bearerOf(request);
  if (token !== undefined && (token === credentials.accessToken || tokens.isValid(token))) return undefined;
  const found =
    token === undefined
      ? 'no bearer token'
      : token === credentials.clientSecret
        ? 'the client secret'
        : 'a wrong or expired token';
  return adsError(
    'UNAUTHENTICATED',
    `Request had invalid authentication credentials. Expected OAuth 2.0 access token; found ${found}. The sandbox ` +
      `accepts "${credentials.accessToken}" and the tokens that its ${new URL(credentials.tokenUrl).pathname} issues.`,
  );
}

function answerAdsCall(
  service: Service,
  request: ReadRequest,
  route: Extract<Route, { customer: string }>,
  requestId: string,
  refusal: RefusedOperations | undefined,
): Reply {
  const wrong = wrongBody(request);
  if (wrong !== undefined) return wrong;
  const body = request.json as Readonly<Record<string, unknown>>;
  if (!/^[1-9]\d{0,18}$/.test(route.customer)) {
    const found = `Found "${route.customer}" as customer id`;
    return adsError('INVALID_ARGUMENT', `${found}, expected digits without dashes or parentheses.`);
  }
  const client = service.tree.find(route.customer);
  if (client === undefined) {
    return adsError('PERMISSION_DENIED', `The caller does not have permission for customer ${route.customer}.`);
  }
  const call = { version: route.version, account: client.account, client, requestId, body };
  const closed = refuseAccess(service.tree, call, request.recorded.headers['login-customer-id']);
  if (closed) return closed;
  switch (route.kind) {
    case 'stream':
      return searchStream(service, call);
    case 'search':
      return validateQuery(service, call);
    case 'mutate':
      return mutateBudgets(service, call, refusal);
    case 'ideas':
      return keywordIdeas(service, call);
    default:
      return unreachable(route.kind);
  }
}

function refuseAccess({ admits }: AccountTree, call: AdsCall, login: unknown): Reply | undefined {
  const { client, version, requestId } = call;
  const refuse = (authorizationError: string, message: string) =>
    adsError('PERMISSION_DENIED', 'The caller does not have permission', [
      adsFailure(version, requestId, [{ errorCode: { authorizationError }, message }]),
    ]);
  if (!admits(client, typeof login === 'string' ? login : undefined)) {
    const found = login === undefined ? 'no login-customer-id' : `the login-customer-id ${login}`;
    return refuse(
      'USER_PERMISSION_DENIED',
      `The user may not act for this customer directly: found ${found}, expected the login-customer-id of a manager above it.`,
    );
  }
  if (client.status === 'ENABLED') return undefined;
  return refuse('CUSTOMER_NOT_ENABLED', `The customer account is not enabled: it is ${client.status}.`);
}

/** Requirement B16: issues an access token. */
function answerToken(service: Service, form: URLSearchParams): Reply {
  const { credentials, tokens, serviceAccountKey, clock } = service;
  const refusal =
    form.get('grant_type') === JWT_BEARER
      ? refuseAssertion(form, serviceAccountKey, { tokenUrl: credentials.tokenUrl, nowMs: clock.now() })
      : refuseRefresh(credentials, form);
  if (refusal !== undefined) return refusal;
  const { accessToken, expiresInSeconds } = tokens.issue();
  return jsonReply(200, { access_token: accessToken, expires_in: expiresInSeconds, token_type: 'Bearer' });
}

function refuseRefresh(credentials: SandboxCredentials, form: URLSearchParams): Reply | undefined {
  const expected = {
    grant_type: 'refresh_token',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    refresh_token: credentials.refreshToken,
  };
  const wrong = Object.entries(expected).find(([name, value]) => form.get(name) !== value);
  if (wrong === undefined) return undefined;
  return jsonReply(400, { error: 'invalid_grant', error_description: `The value of ${wrong[0]} is wrong.` });
}

const OTHER_QUERY = 'SELECT customer.id, customer.descriptive_name FROM customer';

/** Executes the request, but returns the answer to another request, like a broken proxy. */
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
  if (kind === 'list' || kind === 'fields')
    return jsonReply(200, { results: [{ resourceName: 'customers/1/campaignBudgets/1' }] });
  return listCustomers(service);
}
