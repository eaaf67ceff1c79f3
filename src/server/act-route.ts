import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../domain/ports.ts';
import { mayAct } from '../domain/role.ts';
import { linkFrom, PAGES } from '../html/pages.ts';
import { outcomePage } from '../pages/inbox/act-page.ts';
import { ACTS, type AskedAct, actQuery, askedAct, SILENCE_TIMES } from '../pages/inbox/acts.ts';
import { messagePage } from '../pages/status/message-page.ts';
import type { PageSource, RenderedPage } from '../pages/status/page-source.ts';
import type { AccessToken } from './access-tokens.ts';
import type { createFormProofs } from './form-proof.ts';
import { addressOf, type Visitor } from './log-in.ts';
import { bodyOf, Refusal, readForm } from './route.ts';

/** Runs one command of pacekeeper in another process. `text` is its output, without secrets. */
export type RunAct = (args: readonly string[]) => Promise<{ readonly exitCode: number | null; readonly text: string }>;

export interface ActDeps {
  readonly source: Pick<PageSource, 'effect'>;
  readonly proofs: ReturnType<typeof createFormProofs>;
  readonly log: Log;
  readonly runAct: RunAct;
}

const { path } = PAGES.inbox;
const FORM_BYTES_MAX = 8192;
const REASON_LENGTH_MAX = 500;
const WAITING_MAX = 20;

export type KnownVisitor = Extract<Visitor, { kind: 'known' }>;

/** Refuses forms of other sites. Answers visitors who are not logged in, and then returns undefined. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<KnownVisitor | undefined>;

/** The proof for a form of the page. Undefined if the page has no form, or the visitor cannot act. */
export function proofFor(
  { proofs }: Pick<ActDeps, 'proofs'>,
  { token, session }: KnownVisitor,
  page: { readonly path: string; readonly query: string },
): string | undefined {
  const asked = page.path === path ? askedAct(new URLSearchParams(page.query)) : undefined;
  if (asked === undefined || session === undefined || !mayAct(token.role)) return undefined;
  return proofs.make(session, purposeOf(asked));
}

const purposeOf = ({ act, on }: AskedAct) => `${act} ${on}`;

export function actRoute(
  server: FastifyInstance,
  deps: ActDeps,
  admit: Admit,
  send: (reply: FastifyReply, answer: RenderedPage) => FastifyReply,
): void {
  const inTurn = queue();
  server.post(path, { bodyLimit: FORM_BYTES_MAX }, async (request, reply) => {
    const visitor = await admit(request, reply);
    if (visitor === undefined) return reply;
    const { fields } = readForm(bodyOf(request));
    const { token, session } = visitor;
    const asked = askedAct(fields);
    if (asked === undefined) throw new Refusal(400, 'the form names no act');
    if (session === undefined) throw new Refusal(403, 'only a person who logged in with a browser can act');
    if (!mayAct(token.role)) throw new Refusal(403, 'the token is of a viewer');
    const why = (fields.get('why') ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim();
    if (why === '') return send(reply, again(asked, 400, 'The reason is missing. The record needs one.'));
    if (why.length > REASON_LENGTH_MAX) {
      return send(reply, again(asked, 400, `The reason is longer than ${REASON_LENGTH_MAX} characters.`));
    }
    const duration = asked.act === 'silence' ? durationOf(fields) : [];
    if (duration === undefined) return send(reply, again(asked, 400, 'Choose how long the silence lasts.'));
    const check = deps.proofs.use(fields.get('form') ?? '', session, purposeOf(asked));
    if (check === 'forged') throw new Refusal(403, 'the form did not come from a page of this session');
    if (check !== 'valid') return send(reply, again(asked, 409, REPEATED[check]));
    const effect = await deps.source.effect(asked);
    if (effect === undefined) {
      return send(reply, again(asked, 409, 'There is nothing to decide any more. Somebody may have decided already.'));
    }
    if (effect.seen !== fields.get('seen')) {
      return send(reply, again(asked, 409, 'It changed after you opened the page. Look at it again.'));
    }
    const args = [...effect.command, ...duration, `--by=${token.name}`, `--why=${why}`];
    // A freeze must not wait for a change that is being made.
    const act = () => deps.runAct(args);
    const done = asked.act === 'freeze' ? await act() : await inTurn(act);
    if (done === undefined) return send(reply, again(asked, 503, 'Too many acts are waiting. Try again in a minute.'));
    return send(reply, told(request, deps.log, token, asked, done));
  });
}

const REPEATED = {
  used: 'This form was already sent. Look at the inbox for its result.',
  expired: 'The page is older than an hour. Look at it again.',
};

function told(
  request: FastifyRequest,
  log: Log,
  { name }: AccessToken,
  asked: AskedAct,
  { exitCode, text }: Awaited<ReturnType<RunAct>>,
): RenderedPage {
  const isDone = exitCode === 0;
  const result = isDone ? 'done' : `failed, exit code ${exitCode ?? 'none'}`;
  log.info(`${ACTS[asked.act].verb} ${asked.on}`.trim() + ` by ${name} from ${addressOf(request)}: ${result}.`);
  return { status: isDone ? 200 : 409, html: outcomePage(asked, { isDone, text }) };
}

function durationOf(fields: URLSearchParams): readonly string[] | undefined {
  const time = fields.get('for') ?? '';
  return Object.hasOwn(SILENCE_TIMES, time) ? [`--for=${time}`] : undefined;
}

function again(asked: AskedAct, status: number, problem: string): RenderedPage {
  const link = { href: `${linkFrom(path, path)}${actQuery(asked)}`, words: 'Look again' };
  return {
    status,
    html: messagePage({ path, title: 'Nothing was changed', sentences: [problem], link, isKnown: true }),
  };
}

/** Runs one job at a time. Returns undefined if too many jobs wait. */
function queue() {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async <Value>(job: () => Promise<Value>): Promise<Value | undefined> => {
    if (waiting >= WAITING_MAX) return undefined;
    waiting += 1;
    const done = last.then(job).finally(() => {
      waiting -= 1;
    });
    last = done.catch(() => undefined);
    return done;
  };
}
