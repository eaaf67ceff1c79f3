import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../../domain/ids.ts';
import { recordLine } from '../../domain/outside-text.ts';
import { exploreQuery, linkFrom, PAGES } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import { may, type Right } from '../../domain/role.ts';
import { bodyOf, Refusal, readForm } from '../../services/http/received-request.ts';
import { QUESTIONS_MAX } from '../../storage/records/saved-question-table.ts';
import { type ExploreSource, TooManyQueries } from '../explore/explore-source.ts';
import { choiceFields, choiceIn, MODEL_NAME, sqlIn } from '../explore/explore-text.ts';
import type { QuestionOrder } from '../explore/keep-question.ts';
import { messagePage } from '../status/message-page.ts';
import { fileFormat } from '../status/page-filter.ts';
import type { PageRequest, PageSource, RenderedPage } from '../status/page-source.ts';
import type { createFormProofs } from './form-proof.ts';
import { type Admit, type KnownVisitor, visitorAddress } from './log-in.ts';
import { goneWith, HEADERS, partsOf, sendFile, sendPage } from './route.ts';

export interface ExploreDeps {
  readonly source: Pick<PageSource, 'saveModel' | 'question' | 'keepQuestion'>;
  readonly explore: ExploreSource | undefined;
  readonly proofs: ReturnType<typeof createFormProofs>;
  readonly log: Log;
}

/** The parts of a page beside its address. `status` is for a page without an error. */
export interface ShownPart extends Pick<PageRequest, 'form' | 'explored' | 'question'> {
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

/** The form of a saved question changes only this question. Other forms save only the query of their page. */
const purposeOf = (sql: string, question: string | undefined) =>
  question === undefined ? `save ${sql}` : `question ${question}`;
const NAME_MAX = 80;
const SENTENCE_MAX = 300;

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
  { source: pages, explore: source, proofs }: ExploreDeps,
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
  const id = questionIn(fields);
  const asked = id === undefined ? undefined : await pages.question(id);
  if (id !== undefined && asked === undefined) {
    return sendPage(reply, exploreMessage(404, 'This question does not exist. It may have been deleted.'));
  }
  const sql = sqlIn(fields) || (asked?.query ?? '');
  if (sql.trim() === '' || request.method === 'HEAD') return show(request, reply, visitor, {});
  const { token, session } = visitor;
  // With another text, it is no longer the saved question.
  const known = asked?.query === sql ? asked : undefined;
  const question = known && { ...known, isOwn: known.savedBy === token.name || may(token.role, 'save_model') };
  const maySave = may(token.role, 'save_question') && session !== undefined;
  const form = maySave ? proofs.make({ token, session }, purposeOf(sql, question?.id)) : undefined;
  if (source === undefined)
    return sendPage(reply, exploreMessage(503, 'Queries need the built program. Run npm run build.'));
  const gone = goneWith(reply);
  try {
    const format = fileFormat(fields);
    if (format !== undefined) {
      const found = await source.download(sql, format, gone);
      if ('kind' in found) return await show(request, reply, visitor, { status: 400, explored: found, question, form });
      return sendFile(reply, { name: 'explore', format, content: Readable.from(found) });
    }
    const explored = await source.look(sql, gone);
    const status = explored.kind === 'refused' ? 400 : 200;
    return await show(request, reply, visitor, { status, explored, question, form });
  } catch (error) {
    if (!(error instanceof TooManyQueries)) throw error;
    return sendPage(reply, exploreMessage(503, `${error.message} Try again in a minute.`));
  }
}

async function save(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: ExploreDeps,
  { admit }: Ways,
): Promise<FastifyReply> {
  const { proofs, log } = deps;
  const { fields } = readForm(bodyOf(request));
  const sql = sqlIn(fields);
  const act = RIGHTS_OF[fields.get('act') ?? 'save_model'];
  if (act === undefined) throw new Refusal(400, 'the form names no action');
  const visitor = await admit(request, reply, `${path}${exploreQuery(sql)}`);
  if (visitor === undefined) return reply;
  const { token, session } = visitor;
  if (session === undefined) throw new Refusal(403, 'only a person who logged in with a browser can save');
  if (!may(token.role, act.right)) throw new Refusal(403, `the role ${token.role} has no right to save this`);
  const again = (status: number, ...problems: readonly string[]) => sendPage(reply, notSaved(status, sql, problems));
  const wrong = act.isModel ? wrongModel(fields) : wrongQuestion(fields, sql);
  if (wrong !== undefined) return again(400, wrong);
  const check = await proofs.use(
    fields.get('form') ?? '',
    { token, session },
    purposeOf(sql, act.runs ? undefined : questionIn(fields)),
  );
  if (check === 'forged') throw new Refusal(403, 'the form did not come from a page of this session');
  if (check !== 'valid') return again(409, 'This form was already sent, or is older than an hour.');
  if (act.runs) {
    const excess = await whyNot(deps.explore, sql, act.isModel, goneWith(reply));
    if (excess.length > 0) return again(409, ...excess);
  }
  const by = `by ${token.name} from ${visitorAddress(request)}.`;
  if (act.isModel) {
    const name = fields.get('name') ?? '';
    const saved = await deps.source.saveModel({ name, sql, by: token.name });
    if (saved.kind === 'refused') return again(409, ...saved.problems);
    log.info(`Model ${name} saved ${by}`);
    const sentences = [`models/${name}.sql is saved.`, `The next run publishes the table ${name}.`];
    return sendPage(reply, exploreMessage(200, ...sentences));
  }
  const kept = await deps.source.keepQuestion(orderOf(fields, sql, token));
  if (kept.kind !== 'kept') return again(409, NOT_KEPT[kept.kind]);
  log.info(`Question ${kept.id} ${act.done} ${by}`);
  const location = `.${path}${act.done === 'deleted' ? '' : `?question=${kept.id}`}`;
  return reply.code(303).headers(HEADERS).header('location', location).send();
}

interface SavingAct {
  readonly right: Right;
  readonly isModel: boolean;
  /** True if the query is tried before. */
  readonly runs: boolean;
  readonly done: string;
}

const RIGHTS_OF: Readonly<Record<string, SavingAct | undefined>> = {
  save_model: { right: 'save_model', isModel: true, runs: true, done: 'saved' },
  save_question: { right: 'save_question', isModel: false, runs: true, done: 'saved' },
  rename_question: { right: 'save_question', isModel: false, runs: false, done: 'renamed' },
  delete_question: { right: 'save_question', isModel: false, runs: false, done: 'deleted' },
};

const NOT_KEPT = {
  taken: 'A question with this name exists already. Choose another name.',
  full: `There are ${QUESTIONS_MAX} questions already. Delete one first.`,
  gone: 'This question is not yours, or it was deleted. Only its author and admins change it.',
};

function questionIn(fields: URLSearchParams): string | undefined {
  return fields.get('question') || undefined;
}

function wrongModel(fields: URLSearchParams): string | undefined {
  if (MODEL_NAME.test(fields.get('name') ?? '')) return undefined;
  return 'Invalid name: use lower-case letters, digits and underscores, and begin with a letter.';
}

const lineIn = (fields: URLSearchParams, name: string) => recordLine((fields.get(name) ?? '').normalize());

function wrongQuestion(fields: URLSearchParams, sql: string): string | undefined {
  if (fields.get('act') === 'delete_question') return undefined;
  const name = lineIn(fields, 'name');
  const sentence = lineIn(fields, 'sentence');
  if (name === '' || name.length > NAME_MAX) return `The name needs 1 to ${NAME_MAX} characters.`;
  if (sentence === '' || sentence.length > SENTENCE_MAX) return `The sentence needs 1 to ${SENTENCE_MAX} characters.`;
  if (sql.length > QUERY_LENGTH_MAX) return `The query is longer than ${QUERY_LENGTH_MAX} characters.`;
  return undefined;
}

function orderOf(fields: URLSearchParams, query: string, { name: by, role }: KnownVisitor['token']): QuestionOrder {
  const texts = { name: lineIn(fields, 'name'), sentence: lineIn(fields, 'sentence') };
  const id = questionIn(fields) ?? '';
  const act = fields.get('act');
  if (act === 'save_question') {
    const chart = `${new URLSearchParams(choiceFields(choiceIn(fields)))}`;
    return { act, question: { ...texts, query, chart, savedBy: by } };
  }
  const changing = { id: isId(id) ? id : '0', by, mayAll: may(role, 'save_model') };
  return act === 'delete_question' ? { act, changing } : { act: 'rename_question', changing, ...texts };
}

/** The limits of Explore are shorter than those of a publication, because a person waits. A question may have more rows. */
async function whyNot(
  source: ExploreSource | undefined,
  sql: string,
  isModel: boolean,
  gone: AbortSignal,
): Promise<readonly string[]> {
  try {
    const tried = await source?.look(sql, gone);
    if (tried === undefined) return ['Queries need the built program. Run npm run build.'];
    if (tried.kind === 'refused') return tried.problems;
    if (tried.isWhole || !isModel) return [];
    return [`The query is too large: Explore read only ${tried.count} rows. Sum them by day or month.`];
  } catch (error) {
    if (!(error instanceof TooManyQueries)) throw error;
    return [`${error.message} Try again in a minute.`];
  }
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
