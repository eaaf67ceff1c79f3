import type { Clock } from '../domain/clock.ts';
import { InputError } from '../domain/errors.ts';
import type { Fault } from './faults.ts';
import { type ParsedFault, parseFault } from './parse-fault.ts';
import type { SandboxRequest } from './read-request.ts';

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
