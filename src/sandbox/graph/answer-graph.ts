import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { unreachable } from '../../domain/errors.ts';
import type { SandboxCredentials } from '../credentials.ts';
import type { ReceivedMessage } from '../message-store.ts';
import { digitsOf, fateOf } from '../phones.ts';
import { bearerOf, type GraphRoute, isJsonObject, type ReadRequest } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Service } from '../service.ts';
import type { Filled } from '../templates.ts';
import { newGraphMessageId } from '../webhooks/compose-webhook.ts';

/** Section 7.1 of the specification defines this error body. */
function graphError(
  status: number,
  error: { readonly message: string; readonly type: string; readonly code: number; readonly error_subcode?: number },
  requestId: string,
): Reply {
  return jsonReply(status, { error: { ...error, fbtrace_id: requestId } });
}

function unsupportedObject(method: string, id: string, requestId: string): Reply {
  const message =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing ` +
    'permissions, or does not support this operation.';
  return graphError(400, { message, type: 'GraphMethodException', code: 100, error_subcode: 33 }, requestId);
}

function badToken(message: string, requestId: string): Reply {
  return graphError(401, { message, type: 'OAuthException', code: 190 }, requestId);
}

function badParameter(sentence: string, requestId: string): Reply {
  return graphError(400, { message: `(#100) ${sentence}`, type: 'OAuthException', code: 100 }, requestId);
}

function refused(code: number, title: string, requestId: string, status = 400): Reply {
  return graphError(status, { message: `(#${code}) ${title}`, type: 'OAuthException', code }, requestId);
}

function refusedTemplate(kind: Exclude<Filled['kind'], 'text'>, requestId: string): Reply {
  switch (kind) {
    case 'unknown':
      return refused(132001, 'Template name does not exist in the translation', requestId, 404);
    case 'paused':
      return refused(132015, 'Template is paused', requestId);
    case 'wrong_number':
      return refused(132000, 'Number of parameters does not match the expected number of params', requestId);
    case 'wrong_value':
      return refused(132018, 'Param text cannot be empty or have new-line, tab or many spaces', requestId);
    default:
      return unreachable(kind);
  }
}

/** Also for a free text, which has no variables. */
function filledTemplate({ templates }: Service, body: Readonly<Record<string, unknown>>): Filled {
  const { text, template } = body;
  if (body.type === 'interactive') return { kind: 'text', body: String(buttonsOf(body)?.text) };
  if (body.type !== 'template') return { kind: 'text', body: isJsonObject(text) ? String(text.body) : '' };
  const { name, language, components } = isJsonObject(template) ? template : {};
  const [component] = Array.isArray(components) ? components : [];
  const parameters = isJsonObject(component) && Array.isArray(component.parameters) ? component.parameters : [];
  const wanted = { name: String(name), language: isJsonObject(language) ? String(language.code) : '' };
  return templates.fill(
    wanted,
    parameters.map((one) => (isJsonObject(one) ? one.text : undefined)),
  );
}

/** Undefined if the message does not have what the interface wants of one with buttons. */
function buttonsOf({ interactive }: Readonly<Record<string, unknown>>): { readonly text: string } | undefined {
  const parsed = withButtons.safeParse(interactive);
  return parsed.success ? parsed.data.body : undefined;
}

const withButtons = z.strictObject({
  type: z.literal('button'),
  body: z.strictObject({ text: z.string().min(1).max(1_024) }),
  action: z.strictObject({
    buttons: z
      .array(
        z.strictObject({
          type: z.literal('reply'),
          reply: z.strictObject({ id: z.string().min(1).max(256), title: z.string().min(1).max(20) }),
        }),
      )
      .min(1)
      .max(3),
  }),
});

const TEXT_CHARACTERS_MAX = 4_096;
const REFERENCE_BYTES_MAX = 512;

/** Requirement A1. The caller has checked the token and the sender. */
function sendText(service: Service, body: unknown, requestId: string): Reply {
  const refuse = (sentence: string) => badParameter(sentence, requestId);
  if (!isJsonObject(body)) return refuse('The request body must be a JSON object.');
  if (body.messaging_product !== 'whatsapp') return refuse('Param messaging_product must be whatsapp.');
  // The specification shows no way to mark a message as read (section 4.1, rule 4).
  if (!service.strict && 'status' in body) return markAsRead(body, requestId);
  const problem = service.strict && body.type === 'interactive' ? STRICT_TYPE : problemOf(body);
  if (problem !== undefined) return refuse(problem);
  const to = String(body.to);
  const filled = filledTemplate(service, body);
  const behaviour = service.phones.behaviour('graph', to);
  if (behaviour === 'throttled') {
    return refused(131056, '(Business Account, Consumer Account) pair rate limit hit', requestId);
  }
  if (behaviour === 'opted_out') return refused(131026, 'Message undeliverable', requestId);
  if (filled.kind !== 'text') return refusedTemplate(filled.kind, requestId);
  if (body.type !== 'template' && !service.phones.getsText('graph', to, service.clock.now())) {
    return refused(131047, 'Re-engagement message', requestId);
  }
  const fate = fateOf('graph', behaviour);
  const message: ReceivedMessage = {
    sid: newGraphMessageId(),
    channel: 'graph',
    to,
    body: filled.body,
    mediaUrl: undefined,
    mediaAttached: false,
    from: digitsOf(service.credentials.messages.from),
    receivedAt: new Date(service.clock.now()).toISOString(),
    status: fate.statuses.at(-1) ?? 'accepted',
    errorCode: fate.errorCode,
    statusCallback: undefined,
    reference: typeof body.biz_opaque_callback_data === 'string' ? body.biz_opaque_callback_data : undefined,
  };
  service.store.messages.add(message);
  service.webhooks.reportFate(message, fate);
  // The specification does not show the body of the answer.
  if (service.strict) return jsonReply(200, {});
  const contacts = [{ input: to, wa_id: to }];
  return jsonReply(200, { messaging_product: 'whatsapp', contacts, messages: [{ id: message.sid }] });
}

function problemOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const { to, text, type = 'text', recipient_type = 'individual', biz_opaque_callback_data: reference } = body;
  if (recipient_type !== 'individual') return 'Param recipient_type must be individual.';
  if (type !== 'text' && type !== 'template' && type !== 'interactive')
    return 'Param type must be text, template or interactive: the sandbox takes no others.';
  if (typeof to !== 'string') return 'The parameter to is required.';
  if (!/^[1-9]\d{5,14}$/.test(to)) return 'Param to must be a phone number of digits in international form.';
  if (
    reference !== undefined &&
    (typeof reference !== 'string' || Buffer.byteLength(reference) > REFERENCE_BYTES_MAX)
  ) {
    return `Param biz_opaque_callback_data must be a text of at most ${REFERENCE_BYTES_MAX} bytes.`;
  }
  if (type === 'template') return undefined;
  if (type === 'interactive')
    return buttonsOf(body) ? undefined : 'The parameter interactive needs a body and one to three buttons.';
  if (!isJsonObject(text)) return 'The parameter text is required.';
  if (typeof text.body !== 'string' || text.body === '') return "The parameter text['body'] is required.";
  if (text.body.length <= TEXT_CHARACTERS_MAX) return undefined;
  return `Param text['body'] must be at most ${TEXT_CHARACTERS_MAX} characters long.`;
}

const STRICT_TYPE = 'Param type must be text or template.';

function markAsRead(body: Readonly<Record<string, unknown>>, requestId: string): Reply {
  if (body.status !== 'read') return badParameter('Param status must be read.', requestId);
  if (typeof body.message_id !== 'string' || !/^wamid\../.test(body.message_id)) {
    return badParameter('Param message_id must be the id of a message that was received.', requestId);
  }
  return jsonReply(200, { success: true });
}

type ObjectRoute = Extract<GraphRoute, { readonly id: string }>;

/** Checks in this order: path, token and proof, object, body. */
export function answerGraph(service: Service, request: ReadRequest, route: GraphRoute, requestId: string): Reply {
  const { recorded } = request;
  const { pathname, searchParams: query } = new URL(recorded.path, 'http://sandbox');
  if (route.kind === 'graph_unknown') {
    const message = `Unknown path components: ${pathname}`;
    return graphError(400, { message, type: 'OAuthException', code: 2500 }, requestId);
  }
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
      // The specification does not show the fields of a page.
      return listed(pagesOf(service), (page) => (service.strict ? {} : page));
    case 'graph_permissions':
      return jsonReply(200, { data: PERMISSIONS.map((permission) => ({ permission, status: 'granted' })) });
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
    return typeof page === 'string' ? badParameter(page, requestId) : jsonReply(200, page);
  }
}

/** Requirements A5 and A10. A revoked token can do nothing. The proof is optional, but a wrong proof is refused. */
function refuseToken(
  { credentials, store }: Service,
  request: ReadRequest,
  query: URLSearchParams,
  requestId: string,
): Reply | undefined {
  const token = bearerOf(request) ?? query.get('access_token') ?? undefined;
  if (token === undefined) return badToken('An access token is required to request this resource.', requestId);
  const { accessToken, appSecret } = credentials.graph;
  if (token !== accessToken) return badToken('Invalid OAuth access token - Cannot parse access token', requestId);
  if (store.isDone('permissions_revoked') && !store.isDone('features_deactivated')) {
    const message = 'Error validating access token: The user has not authorized the application.';
    return graphError(401, { message, type: 'OAuthException', code: 190, error_subcode: 458 }, requestId);
  }
  const proof = query.get('appsecret_proof') ?? (isJsonObject(request.json) ? request.json.appsecret_proof : undefined);
  if (proof === undefined) return undefined;
  const expected = createHmac('sha256', appSecret).update(token).digest('hex');
  if (proof === expected) return undefined;
  const message = 'Invalid appsecret_proof provided in the API argument';
  return graphError(400, { message, type: 'GraphMethodException', code: 100 }, requestId);
}

/** Requirement A6: not every object supports every operation. */
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

/** Pages appear only after both steps of section 4.1, rule 5. The second step also grants the permissions again. */
function pagesOf({ store }: Service): typeof PAGES {
  return store.isDone('permissions_revoked') ? PAGES : [];
}

function phoneNumbers({ graph, messages }: SandboxCredentials) {
  const display = digitsOf(messages.from).replace(/^1(\d{3})(\d{3})(\d{4})$/, '+1 $1-$2-$3');
  return [
    {
      id: graph.phoneNumberId,
      verified_name: 'Pacekeeper Sandbox',
      display_phone_number: display,
      quality_rating: 'GREEN',
    },
    {
      id: '106540352242930',
      verified_name: 'Pacekeeper Sandbox Spare',
      display_phone_number: '+1 555-010-0009',
      quality_rating: 'NA',
    },
  ];
}

/** Section 2.3 of the specification lists these permissions. */
const PERMISSIONS = ['pages_show_list', 'pages_read_engagement', 'pages_read_user_content', 'public_profile'];

const PAGES = ['Bergfreund Outdoor', 'Bergfreund Verleih', 'Stride Running'].map((name, index) => ({
  id: `20531316728000${index + 1}`,
  name,
  category: 'Shopping & retail',
  access_token: `sandbox-page-token-${index + 1}`,
  tasks: ['ANALYZE', 'MESSAGING', 'MANAGE'],
}));

const LIMIT = 25;
const LIMIT_MAX = 100;

/** Returns an error text if a parameter is wrong. Links contain even `access_token`, as in the public service. */
function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  query: URLSearchParams,
  address: string,
  show: (item: Item) => object,
): object | string {
  const limit = Number(query.get('limit') ?? LIMIT);
  if (!Number.isSafeInteger(limit) || limit < 1) return 'Param limit must be an integer above 0.';
  const after = query.get('after');
  const place = after === null ? -1 : items.findIndex((item) => cursorOf(item) === after);
  if (after !== null && place === -1) return 'Invalid cursors values.';
  const shown = items.slice(place + 1, place + 1 + Math.min(limit, LIMIT_MAX));
  const last = shown.at(-1);
  if (last === undefined) return { data: [] };
  const parameters = new URLSearchParams(query);
  parameters.set('limit', String(limit));
  parameters.set('after', cursorOf(last));
  const next = last === items.at(-1) ? {} : { next: `${address}?${parameters}` };
  return { data: shown.map(show), paging: { cursors: { after: cursorOf(last) }, ...next } };
}

function cursorOf({ id }: { readonly id: string }): string {
  return Buffer.from(`cursor ${id}`).toString('base64url');
}
