import { InputError } from '../domain/errors.ts';
import { readFaultText } from '../domain/fault-text.ts';
import type { Clock } from '../domain/ports.ts';
import { FAULT_MODES, FAULT_PLACES, type Fault, type FaultMode, refusal } from './fault-modes.ts';
import type { SandboxRequest } from './read-request.ts';

/** What goes wrong with a request; to be asked once for each, in the order in which they came. */
export type FaultChoice = (request: SandboxRequest) => Fault | undefined;

/** The header by which one request asks for a fault of its own. */
export const FAULT_HEADER = 'x-sandbox-fault';

/**
 * What goes wrong with the requests to a sandbox, and what was asked for when it was started. Throws `InputError` for a fault that
 * is none.
 */
export function chooseFault(options: {
  readonly clock: Clock;
  readonly fault?: FaultChoice;
  readonly faults?: readonly string[];
}) {
  const asked = (options.faults ?? []).map((text) => {
    const parsed = parseFault(text);
    if (typeof parsed === 'string') {
      throw new InputError(`The fault "${text}" is none: ${parsed}`, {
        nextStep: 'docs/sandbox.md lists the faults and what each takes.',
      });
    }
    return { text: text.trim(), ofTokens: parsed.ofTokens, choose: countedFault(parsed, options.clock) };
  });
  const unmet = new Set(asked);
  return {
    /** Whether any is about tokens: only a client that fetches them meets it, or goes on after it. */
    areOfTokens: asked.some(({ ofTokens }) => ofTokens),
    /** Those that were asked for when the sandbox was started and met no request yet, as they were written. */
    unmet: (): readonly string[] => [...unmet].map(({ text }) => text),
    /** The first that applies: what a test says, what was asked for at the start, what the request's own header says. */
    choose(request: SandboxRequest): Fault | undefined {
      const own = options.fault?.(request);
      // Each counts its requests, whichever of them applies.
      const configured = asked.flatMap((one) => {
        const fault = one.choose(request);
        if (fault === undefined) return [];
        unmet.delete(one);
        return [fault];
      });
      return own ?? configured[0] ?? faultOfHeader(request, options.clock.now());
    },
  };
}

function countedFault({ matches, nth, every, after, seconds, faultAt }: ParsedFault, clock: Clock): FaultChoice {
  let seen = 0;
  const uses = new Map<string, { count: number; readonly firstMs: number }>();
  return (request) => {
    if (!matches(request)) return undefined;
    const fault = faultAt(clock.now());
    seen += 1;
    if (nth !== undefined) return seen === nth ? fault : undefined;
    if (every !== undefined) return seen % every === 0 ? fault : undefined;
    if (after === undefined && seconds === undefined) return fault;
    // A token wears out by itself: its successor begins anew.
    const token = request.headers.authorization ?? '';
    const use = uses.get(token) ?? { count: 0, firstMs: clock.now() };
    use.count += 1;
    uses.set(token, use);
    const old = seconds !== undefined && clock.now() - use.firstMs >= seconds * 1000;
    return old || use.count > (after ?? Number.POSITIVE_INFINITY) ? fault : undefined;
  };
}

function faultOfHeader({ headers }: SandboxRequest, nowMs: number): Fault | undefined {
  const text = headers[FAULT_HEADER];
  if (typeof text !== 'string') return undefined;
  const parsed = parseFault(text);
  if (typeof parsed !== 'string' && !parsed.counts) return parsed.faultAt(nowMs);
  const reason = typeof parsed === 'string' ? parsed : 'at, nth, every, after and seconds are about several requests.';
  return refusal(400, 'INVALID_ARGUMENT', `The header ${FAULT_HEADER} asks for no fault: ${reason}`);
}

type ParsedFault = Exclude<ReturnType<typeof parseFault>, string>;

/** A fault as people write it (see {@link readFaultText}), or a sentence of what was expected. */
function parseFault(text: string) {
  const reading = readFaultText(text);
  if (reading.kind === 'wrong') return `found ${reading.found}, expected ${reading.expected}.`;
  const { name, place, numbers } = reading;
  const mode: FaultMode = FAULT_MODES[name];
  const { nth, every, after, seconds } = numbers;
  const wears = mode.wearsOut && after === undefined && seconds === undefined;
  const isThere = FAULT_PLACES[place ?? 'any'];
  return {
    // What has no token to refuse, such as a request for a new one, does not wear one out.
    matches: mode.wearsOut ? (request: SandboxRequest) => isThere(request) && bringsToken(request) : isThere,
    /** Only the so many-th of the requests that match, from 1. */
    nth,
    /** One of so many of them. */
    every,
    /** Once a token has served so many requests. */
    after: wears && nth === undefined && every === undefined ? TOKEN_SERVES : after,
    /** Once a token has been in use for so long. */
    seconds,
    /** Whether it says anything of which requests it meets. */
    counts: place !== undefined || [nth, every, after, seconds].some((number) => number !== undefined),
    /** Whether it is about tokens: of their endpoint, or one that was used for some time. */
    ofTokens: place === 'token' || mode.wearsOut === true,
    faultAt: (nowMs: number) => mode.fault(numbers, nowMs),
  };
}

/**
 * How many requests a token that wears out serves unless it is said. A run renews once for a request: with fewer than there are
 * accounts of the seeded market, others could use the new token up before it.
 */
const TOKEN_SERVES = 10;

function bringsToken({ headers }: SandboxRequest): boolean {
  return /^bearer /i.test(headers.authorization ?? '');
}
