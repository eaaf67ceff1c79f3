import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { REASON_LENGTH_MAX, recordLine } from '../../domain/outside-text.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { Log } from '../../domain/ports.ts';
import { may } from '../../domain/role.ts';
import { bodyOf, Refusal, readForm } from '../../services/http/received-request.ts';
import { type Outcome, outcomePage } from '../inbox/act-page.ts';
import {
  ACTS,
  type AskedAct,
  actPath,
  askedAct,
  chosenIn,
  FREEZE,
  type LineNow,
  needsReason,
  SILENCE_TIMES,
} from '../inbox/acts.ts';
import { messagePage } from '../status/message-page.ts';
import type { CheckedAct, PageSource, RenderedPage } from '../status/page-source.ts';
import type { createFormProofs } from './form-proof.ts';
import { inTurn } from './in-turn.ts';
import { type Admit, type KnownVisitor, visitorAddress } from './log-in.ts';
import { sendPage } from './route.ts';

/** Runs one command of pacekeeper in another process. `text` is its output, without secrets. */
export type RunAct = (args: readonly string[]) => Promise<ActOutput>;

interface ActOutput {
  readonly exitCode: number | null;
  /** All output. After a failure, it ends with the messages. */
  readonly text: string;
  /** The output without messages. */
  readonly stdout?: string;
}

export interface ActDeps {
  readonly source: Pick<PageSource, 'effect'>;
  readonly proofs: ReturnType<typeof createFormProofs>;
  readonly log: Log;
  readonly runAct: RunAct;
}

const { path } = PAGES.inbox;
const FORM_BYTES_MAX = 8192;
const WAITING_MAX = 20;

/** The proof for a form of the page. Undefined if the page has no form, or the visitor cannot act. */
export function proofFor(
  { proofs }: Pick<ActDeps, 'proofs'>,
  { token, session }: KnownVisitor,
  page: { readonly path: string; readonly query: string },
): string | undefined {
  if (page.path === PAGES.links.path && session !== undefined && may(token.role, 'share_link'))
    return proofs.make({ token, session }, LINKS_PURPOSE);
  const asked = page.path === path ? askedAct(new URLSearchParams(page.query)) : undefined;
  if (asked === undefined || session === undefined || !may(token.role, asked.act)) return undefined;
  return proofs.make({ token, session }, purposeOf(asked));
}

export const LINKS_PURPOSE = 'read links';

const purposeOf = ({ act, on }: AskedAct) => `${act} ${on}`;

export function actRoute(server: FastifyInstance, deps: ActDeps, admit: Admit): void {
  // A freeze must not wait for a change that is being made.
  const queues = { freeze: inTurn(WAITING_MAX), other: inTurn(WAITING_MAX) };
  server.post(path, { bodyLimit: FORM_BYTES_MAX }, async (request, reply) => {
    const { fields } = readForm(bodyOf(request));
    const asked = askedAct(fields);
    // After a new login, the form is there again, with the reason.
    const next = asked && actPath(asked, fields.get('why') ?? '');
    const visitor = await admit(request, reply, next);
    if (visitor === undefined) return reply;
    if (asked === undefined) throw new Refusal(400, 'the form names no action');
    const { session } = visitor;
    if (session === undefined) throw new Refusal(403, 'only a person who logged in with a browser can act');
    if (!may(visitor.token.role, asked.act)) return sendPage(reply, again(asked, 403, cannot(visitor.token)));
    const why = recordLine(fields.get('why') ?? '');
    if (why === '' && needsReason(asked)) {
      return sendPage(reply, again(asked, 400, 'The reason is missing. The record needs one.'));
    }
    if (why.length > REASON_LENGTH_MAX) {
      return sendPage(reply, again(asked, 400, `The reason is longer than ${REASON_LENGTH_MAX} characters.`));
    }
    const duration = asked.act === 'silence' ? durationOf(fields) : [];
    if (duration === undefined) return sendPage(reply, again(asked, 400, 'Choose how long the silence lasts.'));
    const check = await deps.proofs.use(fields.get('form') ?? '', { ...visitor, session }, purposeOf(asked));
    if (check !== 'valid') return sendPage(reply, again(asked, check === 'forged' ? 403 : 409, REFUSED[check]));
    const queue = asked.act === 'freeze' ? queues.freeze : queues.other;
    const answer = await queue(async () => {
      // While the form waited, the token may have been revoked, and others may have acted.
      const still = await admit(request, reply, next);
      if (still === undefined) return 'answered';
      if (!may(still.token.role, asked.act)) return again(asked, 403, cannot(still.token));
      const checked = await checkAct(deps, asked, fields.get('seen'));
      if ('status' in checked) return checked;
      const { name } = still.token;
      const isPlan = chosenIn(asked).length > 1;
      const done = await deps.runAct([
        ...checked.command,
        ...duration,
        `--by=${name}`,
        ...(needsReason(asked) ? [`--why=${why}`] : []),
        ...(isPlan ? ['--format=json'] : []),
      ]);
      const result = done.exitCode === 0 ? 'done' : `failed, exit code ${done.exitCode ?? 'none'}`;
      deps.log.info(`${verbOf(asked)} by ${name} from ${visitorAddress(request)}: ${result}.`);
      const now = await standingOf(deps, asked);
      const outcome = done.exitCode === 0 ? { change: checked.change, way: wayBack(asked, now.way) } : now;
      const ofLines = isPlan ? outcomeOfLines(now.lines, done) : {};
      return { status: done.exitCode === 0 ? 200 : 409, html: outcomePage(asked, { ...done, ...outcome, ...ofLines }) };
    });
    // Otherwise a stop of the server would wait for the idle connection.
    reply.header('connection', 'close');
    if (answer === 'answered') return reply;
    return sendPage(reply, answer ?? again(asked, 503, 'Too many actions are waiting. Try again in a minute.'));
  });
}

const verbOf = ({ act, on }: AskedAct) => `${ACTS[act].verb} ${on}`.trim();

type Possible = Pick<Extract<CheckedAct, { kind: 'possible' }>, 'change' | 'command'>;

/** Returns the answer if the person must look again. A freeze is always possible, even if no page can be made. */
async function checkAct({ source }: ActDeps, asked: AskedAct, seen: string | null): Promise<Possible | RenderedPage> {
  if (asked.act === 'freeze') return FREEZE;
  let checked: CheckedAct;
  try {
    checked = await source.effect(asked);
  } catch (error) {
    return again(asked, 503, `Try again in a moment: ${error instanceof Error ? error.message : error}`);
  }
  if (checked.kind === 'gone') return again(asked, 409, checked.reason, checked.way);
  return checked.seen === seen ? checked : again(asked, 409, 'It changed after you opened the page. Look at it again.');
}

/** The act that undoes this one. After an approval, `way` undoes the change. */
function wayBack({ act }: AskedAct, way: AskedAct | undefined): AskedAct | undefined {
  return act === 'freeze' ? { act: 'unfreeze', on: '' } : act === 'approve' ? way : undefined;
}

/** Says what a failed act left. A failed command may have made the change, for example if its alert was not sent. */
async function standingOf({ source }: ActDeps, asked: AskedAct): Promise<Pick<Outcome, 'change' | 'way' | 'lines'>> {
  if (asked.act === 'freeze') return { change: { words: 'Check whether budgets are frozen.' } };
  try {
    const now = await source.effect(asked);
    const { lines = [] } = now;
    if (now.kind === 'gone') return { change: { words: now.reason }, way: now.way, lines };
    const words = 'Nothing was changed. If a run is in progress, try again when it ends.';
    return { change: { words }, way: asked, lines };
  } catch {
    return { change: { words: 'Look at the inbox to see what was changed.' } };
  }
}

/** The record shows how each line stands. The command says why it refused a line. */
function outcomeOfLines(
  lines: readonly LineNow[] = [],
  { text, stdout = '' }: ActOutput,
): Pick<Outcome, 'lines' | 'text'> {
  const { data } = REFUSALS.safeParse(parseJson(stdout));
  const refused = data?.decisions.filter(({ state }) => state === 'refused');
  const shown = lines.map((one) => {
    const own = refused?.find(({ customer_id: customer, budget_id: budget }) => {
      return customer === one.customerId && budget === one.budgetId;
    });
    return { ...one, words: own?.detail ?? one.words };
  });
  return { lines: shown, text: text.slice(stdout.length) };
}

const REFUSALS = z.object({
  decisions: z.array(
    z.object({ customer_id: z.string(), budget_id: z.string(), state: z.string(), detail: z.string().nullish() }),
  ),
});

const cannot = ({ role }: KnownVisitor['token']) => `Your token has the role ${role}, which cannot decide.`;

const REFUSED = {
  forged: 'The form comes from another login, or from before a restart. Look at the page again.',
  used: 'This form was already sent. Look at the inbox for its result.',
  expired: 'The page is older than an hour. Look at it again.',
};

function durationOf(fields: URLSearchParams): readonly string[] | undefined {
  const time = fields.get('for') ?? '';
  return Object.hasOwn(SILENCE_TIMES, time) ? [`--for=${time}`] : undefined;
}

function again(asked: AskedAct, status: number, problem: string, way?: AskedAct): RenderedPage {
  const link = { href: linkFrom(path, actPath(way ?? asked)), words: way ? ACTS[way.act].verb : 'Look again' };
  return messagePage({ status, path, title: 'Nothing was changed', sentences: [problem], link });
}
