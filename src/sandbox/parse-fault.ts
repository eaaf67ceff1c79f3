import { readFaultText } from '../domain/fault-text.ts';
import { FAULT_MODES, type FaultMode } from './fault-modes.ts';
import { FAULT_PLACES } from './fault-places.ts';
import type { Fault } from './faults.ts';
import type { SandboxRequest } from './read-request.ts';

export interface ParsedFault {
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
export function parseFault(text: string): FaultReading {
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
