import { linkFrom, PAGES } from '../../domain/pages.ts';
import { type Html, html } from '../../views/html/html.ts';

/** An act of a person on the dashboard. It runs the command with the same name, so the same guards apply. */
export interface AskedAct {
  readonly act: ActName;
  /** The code of a proposal, the number of a change (B12) or of an alert (A7). Empty for a freeze. */
  readonly on: string;
}

/** The change, for people. The name stands apart, so that a long or right-to-left one cannot hide or reorder the amounts. */
export interface Change {
  readonly name?: string;
  readonly words: string;
}

interface Act {
  readonly verb: string;
  readonly on: RegExp;
}

const NOTHING = /^$/;
const ALERT = /^A[1-9]\d{0,17}$/;

export const ACTS = {
  approve: { verb: 'Approve', on: /^[A-Z0-9]{4,12}$/ },
  reject: { verb: 'Reject', on: /^[A-Z0-9]{4,12}$/ },
  undo: { verb: 'Undo', on: /^B[1-9]\d{0,17}$/ },
  freeze: { verb: 'Freeze all budgets', on: NOTHING },
  unfreeze: { verb: 'Unfreeze budgets', on: NOTHING },
  silence: { verb: 'Silence', on: ALERT },
  acknowledge: { verb: 'Acknowledge', on: ALERT },
} as const satisfies Readonly<Record<string, Act>>;

export type ActName = keyof typeof ACTS;

/** The effect of a freeze, which is the same in every state. */
export const FREEZE = {
  change: { words: 'No budget changes until somebody unfreezes budgets.' },
  command: ['freeze'],
} as const;

/** Durations of a silence, as the command takes them. */
export const SILENCE_TIMES = { '2h': '2 hours', '1d': '1 day', '7d': '7 days' } as const;

/** Undefined if the fields name no act. The fields come from an address or a form. */
export function askedAct(fields: URLSearchParams): AskedAct | undefined {
  const name = fields.get('act') ?? '';
  const on = fields.get('on') ?? '';
  if (!Object.hasOwn(ACTS, name)) return undefined;
  const act = name as ActName;
  return ACTS[act].on.test(on) ? { act, on } : undefined;
}

/** The page on which a person confirms the act. `why` is a reason that the person has typed before. */
export function actPath({ act, on }: AskedAct, why = ''): string {
  const fields = new URLSearchParams(on === '' ? { act } : { act, on });
  if (why !== '') fields.set('why', why);
  return `${PAGES.inbox.path}?${fields}`;
}

export function actWay(here: string, asked: AskedAct, words: string = ACTS[asked.act].verb): Html {
  return html`<a href="${linkFrom(here, actPath(asked))}">${words}</a>`;
}

/** A person who has seen an alert owes no reason. */
export function needsReason({ act }: AskedAct): boolean {
  return act !== 'acknowledge';
}

/** A freeze prevents these acts. */
export function isHeld({ act }: AskedAct): boolean {
  return act === 'approve' || act === 'undo';
}

export const HELD = 'not while budgets are frozen';
