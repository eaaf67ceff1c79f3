import { InputError } from '../../domain/errors.ts';
import { readFaultText } from '../../domain/fault-text.ts';
import type { Clock } from '../../domain/ports.ts';
import type { SandboxRequest } from '../read-request.ts';
import { FAULT_MODES, FAULT_PLACES, type FaultMode } from './fault-modes.ts';
import type { Fault } from './faults.ts';

/** What goes wrong with a request; to be asked once for each, in the order in which they came. */
export type FaultChoice = (request: SandboxRequest) => Fault | undefined;

/** The header by which one request asks for a fault of its own. */
export const FAULT_HEADER = 'x-sandbox-fault';

/** What goes wrong with the requests to a sandbox, and what was asked for when it was started. */
export interface AskedFaults {
  /**
   * The first that applies: what a test says, what was asked for when the sandbox was started, what the request's own header
   * says.
   */
  readonly choose: FaultChoice;
  /** Whether any is about tokens: only a client that fetches them meets it, or goes on after it. */
  readonly areOfTokens: boolean;
  /** Those that were asked for when the sandbox was started and met no request yet, as they were written. */
  unmet(): readonly string[];
}

/** Throws `InputError` for a fault that is none. */
export function chooseFault(options: {
  readonly clock: Clock;
  readonly fault?: FaultChoice;
  readonly faults?: readonly string[];
}): AskedFaults {
  const asked = (options.faults ?? []).map((text) => {
    const parsed = readOrRefuse(text);
    return { text: text.trim(), ofTokens: parsed.ofTokens, choose: countedFault(parsed, options.clock) };
  });
  const unmet = new Set(asked);
  return {
    areOfTokens: asked.some(({ ofTokens }) => ofTokens),
    unmet: () => [...unmet].map(({ text }) => text),
    choose: (request) => {
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

function readOrRefuse(text: string): ParsedFault {
  const reading = parseFault(text);
  if (reading.kind === 'ok') return reading.fault;
  throw new InputError(`The fault "${text}" is none: ${reading.reason}`, {
    nextStep: 'docs/sandbox.md lists the faults and what each takes.',
  });
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
  const reading = parseFault(text);
  if (reading.kind === 'ok' && !reading.fault.counts) return reading.fault.faultAt(nowMs);
  const reason =
    reading.kind === 'ok' ? 'at, nth, every, after and seconds are about several requests.' : reading.reason;
  const message = `The header ${FAULT_HEADER} asks for no fault: ${reason}`;
  return {
    kind: 'status',
    status: 400,
    body: JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  };
}

interface ParsedFault {
  readonly matches: (request: SandboxRequest) => boolean;
  /** Only the so many-th of the requests that match, from 1. */
  readonly nth: number | undefined;
  /** One of so many of them. */
  readonly every: number | undefined;
  /** Once a token has served so many requests. */
  readonly after: number | undefined;
  /** Once a token has been in use for so long. */
  readonly seconds: number | undefined;
  /** Whether it says anything of which requests it meets. */
  readonly counts: boolean;
  /** Whether it is about tokens: of their endpoint, or one that was used for some time. */
  readonly ofTokens: boolean;
  readonly faultAt: (nowMs: number) => Fault;
}

export type FaultReading =
  | { readonly kind: 'ok'; readonly fault: ParsedFault }
  /** A sentence of what was expected. */
  | { readonly kind: 'wrong'; readonly reason: string };

/** A fault as people write it; see {@link readFaultText}. */
function parseFault(text: string): FaultReading {
  const reading = readFaultText(text);
  if (reading.kind === 'wrong') {
    return { kind: 'wrong', reason: `found ${reading.found}, expected ${reading.expected}.` };
  }
  const { name, place, numbers } = reading;
  const mode: FaultMode = FAULT_MODES[name];
  const { nth, every, after, seconds } = numbers;
  const counts = place !== undefined || [nth, every, after, seconds].some((number) => number !== undefined);
  const wears = mode.wearsOut && after === undefined && seconds === undefined;
  const isThere = FAULT_PLACES[place ?? 'any'];
  const fault: ParsedFault = {
    ...{ nth, every, seconds, counts, ofTokens: place === 'token' || mode.wearsOut === true },
    // What has no token to refuse, such as a request for a new one, does not wear one out.
    matches: mode.wearsOut ? (request) => isThere(request) && bringsToken(request) : isThere,
    after: wears && nth === undefined && every === undefined ? TOKEN_SERVES : after,
    faultAt: (nowMs) => mode.fault(numbers, nowMs),
  };
  return { kind: 'ok', fault };
}

/**
 * How many requests a token that wears out serves unless it is said. A run renews once for a request: with fewer than there are
 * accounts of the seeded market, others could use the new token up before it.
 */
const TOKEN_SERVES = 10;

function bringsToken({ headers }: SandboxRequest): boolean {
  return /^bearer /i.test(headers.authorization ?? '');
}
