import { Readable } from 'node:stream';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../../domain/ids.ts';
import { recordLine } from '../../domain/outside-text.ts';
import { linkFrom, PAGES, TABLES_PATH } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import { may } from '../../domain/role.ts';
import { bodyOf, Refusal, readForm } from '../../services/http/received-request.ts';
import { type ExploreSource, TooManyQueries } from '../explore/explore-source.ts';
import type { LinkFormat, LinkReading } from '../links/link-reading.ts';
import { messagePage } from '../status/message-page.ts';
import type { PageSource } from '../status/page-source.ts';
import { digestOf } from './access-tokens.ts';
import { type ActDeps, LINKS_PURPOSE } from './act-route.ts';
import { type Admit, visitorAddress } from './log-in.ts';
import { goneWith, HEADERS, partsOf, sendPage } from './route.ts';

interface LinkDeps {
  readonly source: Pick<PageSource, 'readLink'>;
  readonly rows: ExploreSource;
  readonly log: Log;
  nowMs(): number;
}

const WINDOW = { timeWindow: 60_000 };
const READS = { ...WINDOW, max: 30, keyGenerator: (request: FastifyRequest) => linkDigest(request) };
/** Programs of many people can share an address, so a lost link must not stop the others. */
const WRONG_KEYS = {
  ...WINDOW,
  max: 60,
  keyGenerator: (request: FastifyRequest) => normalizeIP(visitorAddress(request)),
};
const CHECK_MS = 1000;
const TYPES: Readonly<Record<LinkFormat, string>> = { csv: 'text/csv', json: 'application/json' };
const LINK_HEADERS = { ...HEADERS, 'cache-control': 'private, no-cache', 'referrer-policy': 'no-referrer' };

const linkDigest = (request: FastifyRequest): string =>
  digestOf(new URLSearchParams(partsOf(request).query).get('key') ?? '').toString('hex');

/** Spreadsheets cannot log in, so the key in the address replaces a login. */
export function linkRoute(server: FastifyInstance, { source, rows, log, nowMs }: LinkDeps): void {
  const countRead = server.createRateLimit(READS);
  const countWrong = server.createRateLimit(WRONG_KEYS);
  const refuseTooMany = (reply: FastifyReply, seconds: number) => {
    reply.header('retry-after', seconds);
    throw new Refusal(429, 'the link was read too often, or too many keys were wrong');
  };
  const look = async (request: FastifyRequest): Promise<LinkReading> => {
    const { file = '' } = request.params as { readonly file?: string };
    const order = { digest: linkDigest(request), file, query: partsOf(request).query };
    try {
      return await source.readLink(order);
    } catch (error) {
      const why = String(error instanceof Error ? error.message : error);
      log.warn(`Reading a link failed: ${why.replaceAll(/rl_[\w-]+/g, 'rl_…')}`);
      throw new Refusal(503, 'the link cannot be read now. Try again in a minute');
    }
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(LINK_HEADERS);
    const wrong = await countWrong(request, { increment: false });
    if (!wrong.isAllowed && wrong.remaining === 0) refuseTooMany(reply, wrong.ttlInSeconds);
    const reads = await countRead(request);
    if (!reads.isAllowed && reads.isExceeded) refuseTooMany(reply, reads.ttlInSeconds);
    const reading = await look(request);
    if (reading.kind === 'refused') {
      if (reading.status === 404) await countWrong(request);
      throw new Refusal(reading.status, reading.problem);
    }
    const { id, sql, format, etag } = reading;
    reply
      .type(`${TYPES[format]}; charset=utf-8`)
      .header('content-disposition', `inline; filename="link-${id}.${format}"`);
    if (etag !== undefined) reply.header('etag', etag);
    if (etag !== undefined && etagsOf(request).includes(etag)) return reply.code(304).send();
    if (request.method === 'HEAD') return reply.send();
    const found = await downloaded(rows, sql, goneWith(reply), format);
    if ('kind' in found) throw new Refusal(found.unknown === undefined ? 400 : 410, found.problems.join(' '));
    log.info(`Link ${id} was read from ${visitorAddress(request)}.`);
    return reply.send(Readable.from(whileValid(found, nowMs, async () => (await look(request)).kind === 'read')));
  };
  server.route({ method: ['GET', 'HEAD'], url: TABLES_PATH, handler });
}

/** A proxy that compresses makes a tag weak. */
const etagsOf = ({ headers }: FastifyRequest) =>
  (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));

async function downloaded(rows: ExploreSource, sql: string, gone: AbortSignal, format: LinkFormat) {
  try {
    return await rows.download(sql, `whole_${format}`, gone);
  } catch (error) {
    if (!(error instanceof TooManyQueries)) throw error;
    throw new Refusal(503, 'too many links are being read. Try again in a minute');
  }
}

/** A slow reader of a revoked link does not get the rest. */
async function* whileValid(parts: AsyncIterable<Uint8Array>, nowMs: () => number, isValid: () => Promise<boolean>) {
  let checkedMs = nowMs();
  for await (const part of parts) {
    if (nowMs() - checkedMs >= CHECK_MS) {
      if (!(await isValid())) throw new Error('The link is no longer valid.');
      checkedMs = nowMs();
    }
    yield part;
  }
}

const { path } = PAGES.links;
const FORM_BYTES_MAX = 16 * 1024;

/** The fields of the form that become options of the command. */
const OPTIONS = ['table', 'question', 'columns', 'customer', 'from', 'to', 'where', 'with', 'days'];

/** The command makes and revokes links, so both ways have the same checks. */
export function linkActs(server: FastifyInstance, { proofs, log, runAct }: ActDeps, admit: Admit): void {
  server.post(path, { bodyLimit: FORM_BYTES_MAX }, async (request, reply) => {
    const { fields } = readForm(bodyOf(request));
    const visitor = await admit(request, reply, path);
    if (visitor === undefined) return reply;
    const { token, session } = visitor;
    if (session === undefined) throw new Refusal(403, 'only a person who logged in with a browser can share');
    if (!may(token.role, 'share_link')) throw new Refusal(403, `the role ${token.role} has no right to share`);
    const args = argsOf(fields);
    if (args === undefined) throw new Refusal(400, 'the form names no link');
    const check = await proofs.use(fields.get('form') ?? '', { token, session }, LINKS_PURPOSE);
    if (check === 'forged') throw new Refusal(403, 'the form did not come from a page of this session');
    const answer = (status: number, title: string, ...sentences: readonly string[]) => {
      const link = { href: linkFrom(path, path), words: 'Links' };
      return sendPage(reply, messagePage({ status, path, title, sentences, link }));
    };
    if (check !== 'valid') return answer(409, 'Nothing was changed', 'The form was already sent, or is too old.');
    const done = await runAct(['serve', 'link', ...args, `--by=${token.name}`]);
    const result = done.exitCode === 0 ? 'done' : `failed, exit code ${done.exitCode ?? 'none'}`;
    log.info(`serve link ${args[0]} by ${token.name} from ${visitorAddress(request)}: ${result}.`);
    if (done.exitCode !== 0) return answer(409, 'Nothing was changed', ...done.text.split('\n'));
    if (args[0] === 'revoke') return answer(200, 'Link revoked', 'Whoever asks gets an error from now on.');
    const once = 'Store this address now, like a password: pacekeeper does not show it again.';
    return answer(200, 'Link made', once, done.text.trim());
  });
}

/** Each value is a part of one argument, so none can be another option. */
function argsOf(fields: URLSearchParams): readonly string[] | undefined {
  const id = fields.get('revoke') ?? '';
  if (fields.has('revoke')) return isId(id) ? ['revoke', id] : undefined;
  const options = OPTIONS.flatMap((name) =>
    (fields.get(name) ?? '')
      .split('\n')
      .map(recordLine)
      .flatMap((value) => (value === '' ? [] : [`--${name}=${value}`])),
  );
  return ['create', ...options];
}
