import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InputError, unreachable } from '../../domain/errors.ts';
import { LOGIN_PATH, LOGOUT_PATH, METRICS_PATH, PAGES, pageAt } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import { bodyOf, Refusal, readForm } from '../../services/http/received-request.ts';
import { loginPage } from '../status/login-page.ts';
import { messagePage } from '../status/message-page.ts';
import type { PageSource, RenderedPage } from '../status/page-source.ts';
import { type ActDeps, actRoute, proofFor } from './act-route.ts';
import { type ExploreDeps, exploreRoutes, type ShownPart } from './explore-route.ts';
import { linkActs } from './link-route.ts';
import { type LiveDeps, liveRoute } from './live-route.ts';
import { type Admit, type KnownVisitor, NO_TOKEN, type Visitor, visitorAddress } from './log-in.ts';
import { type MetricsDeps, metricsRoute } from './metrics.ts';
import { HEADERS, isFromOurPage, knownPath, partsOf, sendFile, sendPage } from './route.ts';

/** The longest query of our pages has a reason of 500 characters, percent-encoded. The form of a login encodes it again. */
const QUERY_LENGTH_MAX = 5000;
const LOGIN_BYTES_MAX = 4 * QUERY_LENGTH_MAX;

interface PageRouteDeps extends MetricsDeps, ActDeps, ExploreDeps, Pick<LiveDeps, 'pause'> {
  readonly source: PageSource;
  readonly publicUrl: string | undefined;
  readonly hasKit: boolean | undefined;
}

export async function pageRoutes(server: FastifyInstance, deps: PageRouteDeps): Promise<void> {
  await server.register(cookie);
  server.setErrorHandler((error, request, reply) => {
    if (!(error instanceof InputError)) throw error;
    // Visitors do not see why the token file is unreadable. The log shows the reason.
    const { path } = partsOf(request);
    deps.log.warn(`Refused ${request.method} ${knownPath(path) ?? '(unknown path)'} with 503: ${error.message}`);
    const words = 'logins cannot be checked. See the log';
    if (path === METRICS_PATH) return reply.code(503).send({ error: words });
    return sendPage(reply, strangersPage(503, path, 'Try again', `Dashboard not available: ${words}.`));
  });
  metricsRoute(server, deps);
  liveRoute(server, deps);
  for (const { path: url } of Object.values(PAGES)) {
    if (url === PAGES.explore.path || (url === PAGES.kit.path && !deps.hasKit)) continue;
    server.route({ method: ['GET', 'HEAD'], url, handler: (request, reply) => showPage(request, reply, deps) });
  }
  const admit: Admit = async (request, reply, next) => {
    if (request.method === 'POST') refuseOthers(request, deps);
    const visitor = await deps.logIn.visitor(request);
    if (visitor.kind === 'known') return visitor;
    const { path } = partsOf(request);
    answerStranger(visitor, next ?? path, reply, deps.log, path);
    return undefined;
  };
  actRoute(server, deps, admit);
  linkActs(server, deps, admit);
  exploreRoutes(server, deps, {
    admit,
    show: (request, reply, visitor, more) => renderPage(request, reply, visitor, deps, more),
  });
  server.get(LOGIN_PATH, async (request, reply) => {
    const visitor = await deps.logIn.visitor(request);
    if (visitor.kind === 'known') return sendOn(reply, `.${PAGES.overview.path}`);
    return answerStranger(visitor, LOGIN_PATH, reply, deps.log);
  });
  server.post(LOGIN_PATH, { bodyLimit: LOGIN_BYTES_MAX }, async (request, reply) => logInByForm(request, reply, deps));
  server.post(LOGOUT_PATH, { bodyLimit: LOGIN_BYTES_MAX }, async (request, reply) => {
    refuseOthers(request, deps);
    await deps.logIn.end(request, reply);
    return sendOn(reply, `.${LOGIN_PATH}`);
  });
}

function strangersPage(status: number, path: string, title: string, ...sentences: readonly string[]): RenderedPage {
  return messagePage({ status, path, title, sentences, isKnown: false });
}

async function showPage(request: FastifyRequest, reply: FastifyReply, deps: PageRouteDeps): Promise<FastifyReply> {
  const { path, query } = partsOf(request);
  const visitor = await deps.logIn.visitor(request);
  if (visitor.kind !== 'known') return answerStranger(visitor, path, reply, deps.log);
  if (query.length > QUERY_LENGTH_MAX)
    throw new Refusal(414, `the address is too long after "?": at most ${QUERY_LENGTH_MAX} characters`);
  return renderPage(request, reply, visitor, deps, { form: proofFor(deps, visitor, { path, query }) });
}

async function renderPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { token: { role } }: KnownVisitor,
  { source, log }: PageRouteDeps,
  { status, ...more }: ShownPart,
): Promise<FastifyReply> {
  const { path, query } = partsOf(request);
  try {
    const page = await source.render({ path, query, role, ...more });
    if (page.file) return sendFile(reply, page.file);
    return sendPage(reply, page.status === 200 && status !== undefined ? { ...page, status } : page);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log.warn(`Making a page failed: ${why}`);
    const words = error instanceof InputError && error.nextStep !== undefined ? `${why} ${error.nextStep}` : why;
    const retry = 'Making this page failed. Reload it in a moment.';
    return sendPage(reply, strangersPage(503, path, 'Try again', retry, words));
  }
}

async function logInByForm(request: FastifyRequest, reply: FastifyReply, deps: PageRouteDeps): Promise<FastifyReply> {
  refuseOthers(request, deps);
  const { fields } = readForm(bodyOf(request));
  const wanted = fields.get('next') ?? '';
  // Redirects only to our own pages, so that a login link cannot lead to another site.
  const next = isOurPage(wanted) ? wanted : PAGES.overview.path;
  const visitor = await deps.logIn.begin(fields.get('token') ?? '', request, reply);
  if (visitor.kind === 'known') {
    deps.log.info(`Login with token ${visitor.token.name} from ${visitorAddress(request)}.`);
    return sendOn(reply, `.${next}`);
  }
  return answerStranger(visitor, next, reply, deps.log, LOGIN_PATH);
}

/** True for the address of a page, with or without a query of plain characters. */
function isOurPage(address: string): boolean {
  const [path = '', query = ''] = address.split(/\?(.*)/s, 2);
  return pageAt(path) !== undefined && query.length <= QUERY_LENGTH_MAX && /^[\w.~%+,&=*'()!-]*$/.test(query);
}

/** `path` is the page to show after the login. */
function answerStranger(
  visitor: Exclude<Visitor, { kind: 'known' }>,
  path: string,
  reply: FastifyReply,
  log: Log,
  at = path,
): FastifyReply {
  const { query } = partsOf(reply.request);
  const wanted = query === '' || at !== path ? path : `${path}?${query}`;
  const next = isOurPage(wanted) ? wanted : PAGES.overview.path;
  switch (visitor.kind) {
    case 'nobody_can':
      return sendPage(reply, strangersPage(404, at, 'No dashboard yet', `Login is off: ${NO_TOKEN}.`));
    case 'unknown': {
      const isForm = reply.request.method === 'POST' && at !== LOGIN_PATH;
      const ended = isForm && { problem: 'Your login has ended. Log in to continue.' };
      return sendPage(reply, loginPage({ status: 401, path: at, next, ...ended }));
    }
    case 'wrong':
      log.warn(`Invalid token from ${visitorAddress(reply.request)}.`);
      return sendPage(reply, loginPage({ status: 401, path: at, next, problem: 'Invalid token.' }));
    case 'too_many': {
      reply.header('retry-after', visitor.waitSeconds);
      const problem = `Too many invalid tokens. Try again in ${visitor.waitSeconds} seconds.`;
      return sendPage(reply, loginPage({ status: 429, path: at, next, problem }));
    }
    default:
      return unreachable(visitor);
  }
}

function refuseOthers(request: FastifyRequest, { publicUrl }: PageRouteDeps): void {
  if (!isFromOurPage(request, publicUrl)) throw new Refusal(403, 'the form did not come from a page of pacekeeper');
}

function sendOn(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers(HEADERS).header('location', location).send();
}
