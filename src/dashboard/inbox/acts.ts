import { type ChosenChange, chosenChange } from '../../domain/chosen-change.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import { type Html, html } from '../../views/html/html.ts';

/** An act of a person on the dashboard. It runs the command with the same name, so the same guards apply. */
export interface AskedAct {
  readonly act: ActName;
  /**
   * Codes of proposals with spaces between them, the number of a change (B12) or of an alert (A7). Empty for a freeze.
   * Behind a code, "=" and the amount of a smaller step.
   */
  readonly on: string;
}

/** The change, for people. The name stands apart, so that a long or right-to-left one cannot hide or reorder the amounts. */
export interface Change {
  readonly name?: string;
  readonly words: string;
}

/** How one line of a plan stands, or how its act ended. */
export interface LineNow {
  readonly code: string;
  /** The budget is undefined if the code is unknown. */
  readonly name?: string;
  readonly customerId?: CustomerId;
  readonly budgetId?: BudgetId;
  readonly words: string;
  /** The act that undoes it. */
  readonly way?: AskedAct;
}

interface Act {
  readonly verb: string;
  readonly on: RegExp;
}

const NOTHING = /^$/;
/** A person cannot decide more at once, and the page and its address stay small. */
export const LINES_MAX = 50;
/** Any text can be an amount here, so that the page can say what is wrong with it. */
const CHOSEN = new RegExp(`^(?:[A-Z0-9]{4,12}(?:=\\S{0,24})?(?: (?!$)|$)){0,${LINES_MAX}}$`);
const ALERT = /^A[1-9]\d{0,17}$/;

export const ACTS = {
  approve: { verb: 'Approve', on: CHOSEN },
  reject: { verb: 'Reject', on: CHOSEN },
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

/** The button for all lines of a plan, whatever is chosen. */
export const APPROVE_ALL = 'approve-all';

/**
 * Undefined if the fields name no act. The fields come from an address or a form. In the form of a plan, `to-CODE` is the
 * amount of a line. `on-CODE` is there for each chosen line.
 */
export function askedAct(fields: URLSearchParams): AskedAct | undefined {
  const button = fields.get('act') ?? '';
  const name = button === APPROVE_ALL ? 'approve' : button;
  const prefix = button === APPROVE_ALL ? 'to-' : 'on-';
  const ofLines = [...fields.keys()].flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : []));
  const codes = [...fields.getAll('on'), ...ofLines];
  const on = codes.map((code) => (name === 'approve' ? withAmount(code, fields.get(`to-${code}`)) : code)).join(' ');
  if (!Object.hasOwn(ACTS, name)) return undefined;
  const act = name as ActName;
  return ACTS[act].on.test(on) ? { act, on } : undefined;
}

/** A text that is too long for an amount stays so. */
function withAmount(code: string, typed: string | null): string {
  return typed === null ? code : `${code}=${typed.trim().replace(/\s/g, '_').slice(0, 24)}`;
}

export function chosenIn({ on }: AskedAct): ChosenChange[] {
  return on === '' ? [] : on.split(' ').map(chosenChange);
}

/** Text such as "Approve K7PX" or "Approve 3 changes". */
export function titleOf(asked: AskedAct): string {
  const { verb } = ACTS[asked.act];
  const chosen = chosenIn(asked);
  return chosen.length > 1 ? `${verb} ${chosen.length} changes` : `${verb} ${chosen[0]?.code ?? ''}`.trim();
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
