import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { exploreQuery, linkFrom, PAGES } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import { may } from '../../domain/role.ts';
import { bodyOf, Refusal, readForm } from '../../services/http/received-request.ts';
import { type ExploreSource, TooManyQueries } from '../explore/explore-source.ts';
import { MODEL_NAME, sqlIn } from '../explore/explore-text.ts';
import { messagePage } from '../status/message-page.ts';
import type { PageRequest, PageSource, RenderedPage } from '../status/page-source.ts';
import type { createFormProofs } from './form-proof.ts';
import { type Admit, type KnownVisitor, visitorAddress } from './log-in.ts';
import { partsOf, sendFile, sendPage } from './route.ts';

export interface ExploreDeps {
  readonly source: Pick<PageSource, 'saveModel'>;
  readonly explore: ExploreSource | undefined;
  readonly proofs: ReturnType<typeof createFormProofs>;
  readonly log: Log;
}

/** The parts of a page beside its address. `status` is for a page without an error. */
export interface ShownPart extends Pick<PageRequest, 'form' | 'explored'> {
  readonly status?: number;
}

interface Ways {
  readonly admit: Admit;
  readonly show: (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: KnownVisitor,
    part: ShownPart,
  ) => Promise<FastifyReply>;
}

const { path } = PAGES.explore;
const QUERY_LENGTH_MAX = 8192;
const FORM_BYTES_MAX = 16 * 1024;

/** One form saves one text under one name that the person types. */
const purposeOf = (sql: string) => `save ${sql}`;

export function exploreRoutes(server: FastifyInstance, deps: ExploreDeps, ways: Ways): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: path,
    handler: (request, reply) => explore(request, reply, deps, ways),
  });
  server.post(path, { bodyLimit: FORM_BYTES_MAX }, (request, reply) => save(request, reply, deps, ways));
}

async function explore(
  request: FastifyRequest,
  reply: FastifyReply,
  { explore: source, proofs }: ExploreDeps,
  { admit, show }: Ways,
): Promise<FastifyReply> {
  const visitor = await admit(request, reply);
  if (visitor === undefined) return reply;
  const { query } = partsOf(request);
  if (query.length > QUERY_LENGTH_MAX) {
    return sendPage(
      reply,
      exploreMessage(414, `The query is too long for an address: at most ${QUERY_LENGTH_MAX} characters.`),
    );
  }
  const fields = new URLSearchParams(query);
  const sql = sqlIn(fields);
  if (sql.trim() === '' || request.method === 'HEAD') return show(request, reply, visitor, {});
  if (source === undefined)
    return sendPage(reply, exploreMessage(503, 'Queries need the built program. Run npm run build.'));
  const gone = goneWith(reply);
  try {
    if (fields.get('format') === 'csv') {
      const found = await source.download(sql, gone);
      if ('kind' in found) return await show(request, reply, visitor, { status: 400, explored: found });
      return sendFile(reply, 'explore', Readable.from(found));
    }
    const explored = await source.look(sql, gone);
    if (explored.kind === 'refused') return await show(request, reply, visitor, { status: 400, explored });
    const { token, session } = visitor;
    const maySave = may(token.role, 'save_model') && session !== undefined;
    return await show(request, reply, visitor, {
      explored,
      form: maySave ? proofs.make({ token, session }, purposeOf(sql)) : undefined,
    });
  } catch (error) {
    if (!(error instanceof TooManyQueries)) throw error;
    return sendPage(reply, exploreMessage(503, `${error.message} Try again in a minute.`));
  }
}

async function save(
  request: FastifyRequest,
  reply: FastifyReply,
  { source, explore: runner, proofs, log }: ExploreDeps,
  { admit }: Ways,
): Promise<FastifyReply> {
  const { fields } = readForm(bodyOf(request));
  const sql = sqlIn(fields);
  const visitor = await admit(request, reply, `${path}${exploreQuery(sql)}`);
  if (visitor === undefined) return reply;
  const { token, session } = visitor;
  if (session === undefined) throw new Refusal(403, 'only a person who logged in with a browser can save a model');
  if (!may(token.role, 'save_model')) throw new Refusal(403, 'the token does not have the role admin');
  const name = fields.get('name') ?? '';
  const again = (status: number, ...problems: readonly string[]) => sendPage(reply, notSaved(status, sql, problems));
  if (!MODEL_NAME.test(name)) {
    return again(400, 'Invalid name: use lower-case letters, digits and underscores, and begin with a letter.');
  }
  const check = await proofs.use(fields.get('form') ?? '', { token, session }, purposeOf(sql));
  if (check === 'forged') throw new Refusal(403, 'the form did not come from a page of this session');
  if (check !== 'valid') return again(409, 'This form was already sent, or is older than an hour.');
  const excess = await whyTooMuch(runner, sql, goneWith(reply));
  if (excess.length > 0) return again(409, ...excess);
  const saved = await source.saveModel({ name, sql, by: token.name });
  if (saved.kind === 'refused') return again(409, ...saved.problems);
  log.info(`Model ${name} saved by ${token.name} from ${visitorAddress(request)}.`);
  const sentences = [`models/${name}.sql is saved.`, `The next run publishes the table ${name}.`];
  return sendPage(reply, exploreMessage(200, ...sentences));
}

/** The limits of Explore are shorter than those of a publication, because a person waits. */
async function whyTooMuch(
  source: ExploreSource | undefined,
  sql: string,
  gone: AbortSignal,
): Promise<readonly string[]> {
  try {
    const tried = await source?.look(sql, gone);
    if (tried === undefined) return ['Queries need the built program. Run npm run build.'];
    if (tried.kind === 'refused') return tried.problems;
    if (tried.isWhole) return [];
    return [`The query is too large: Explore read only ${tried.count} rows. Sum them by day or month.`];
  } catch (error) {
    if (!(error instanceof TooManyQueries)) throw error;
    return [`${error.message} Try again in a minute.`];
  }
}

function goneWith({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

function exploreMessage(status: number, ...sentences: readonly string[]): RenderedPage {
  const title = status === 200 ? 'Model saved' : 'Query not possible';
  const link = { href: linkFrom(path, path), words: 'Explore' };
  return messagePage({ status, path, title, sentences, link });
}

function notSaved(status: number, sql: string, sentences: readonly string[]): RenderedPage {
  const link = { href: `${linkFrom(path, path)}${exploreQuery(sql)}`, words: 'Back to the query' };
  return messagePage({ status, path, title: 'Nothing was saved', sentences, link });
}
