import { InputError } from '../domain/errors.ts';
import { readFaultText } from '../domain/fault-text.ts';
import type { Clock } from '../domain/ports.ts';
import { FAULT_MODES, FAULT_PLACES, type Fault, type FaultMode, refusal } from './fault-modes.ts';
import type { SandboxRequest } from './read-request.ts';

/** Must be called once per request, in the order of arrival. */
export type FaultChoice = (request: SandboxRequest) => Fault | undefined;

export const FAULT_HEADER = 'x-sandbox-fault';

/** Throws `InputError` if `faults` contains an unknown fault. */
export function chooseFault(options: {
  readonly clock: Clock;
  readonly fault?: FaultChoice;
  readonly faults?: readonly string[];
}) {
  const asked = (options.faults ?? []).map((text) => {
    const parsed = parseFault(text);
    if (typeof parsed === 'string') {
      throw new InputError(`Unknown fault "${text}": ${parsed}`, {
        nextStep: 'Read docs/sandbox.md: it lists the faults and their options.',
      });
    }
    return { text: text.trim(), ofTokens: parsed.ofTokens, choose: countedFault(parsed, options.clock) };
  });
  const unmet = new Set(asked);
  return {
    /** True if a configured fault concerns access tokens. */
    areOfTokens: asked.some(({ ofTokens }) => ofTokens),
    unmet: (): readonly string[] => [...unmet].map(({ text }) => text),
    /** Order of precedence: `options.fault`, `options.faults`, the header of the request. */
    choose(request: SandboxRequest): Fault | undefined {
      const own = options.fault?.(request);
      // Every configured fault counts the request, even if another fault applies.
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
    // Uses are counted per token, so a new token starts at zero.
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
  const reason =
    typeof parsed === 'string'
      ? parsed
      : 'A header applies to one request, but "at", "nth", "every", "after" and "seconds" need several requests.';
  return refusal(400, 'INVALID_ARGUMENT', `Invalid header ${FAULT_HEADER}: ${reason}`);
}

type ParsedFault = Exclude<ReturnType<typeof parseFault>, string>;

/** Returns the problem as a string if `text` is wrong. */
function parseFault(text: string) {
  const reading = readFaultText(text);
  if (reading.kind === 'wrong') return `found ${reading.found}, expected ${reading.expected}.`;
  const { name, place, numbers } = reading;
  const mode: FaultMode = FAULT_MODES[name];
  const { nth, every, after, seconds } = numbers;
  const wears = mode.wearsOut && after === undefined && seconds === undefined;
  const isThere = FAULT_PLACES[place ?? 'any'];
  return {
    matches: mode.wearsOut ? (request: SandboxRequest) => isThere(request) && bringsToken(request) : isThere,
    nth,
    every,
    after: wears && nth === undefined && every === undefined ? TOKEN_SERVES : after,
    seconds,
    counts: place !== undefined || [nth, every, after, seconds].some((number) => number !== undefined),
    ofTokens: place === 'token' || mode.wearsOut === true,
    faultAt: (nowMs: number) => mode.fault(numbers, nowMs),
  };
}

/** Number of requests before a token stops working. Enough for one parallel request per account. */
const TOKEN_SERVES = 10;

function bringsToken({ headers }: SandboxRequest): boolean {
  return /^bearer /i.test(headers.authorization ?? '');
}
