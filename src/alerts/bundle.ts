import { type AlertSeverity, type Channel, REFERENCE_LENGTH, referenceWord } from '../domain/channel.ts';
import { frozenLines } from '../domain/frozen.ts';
import { cutText, outsideText } from '../domain/outside-text.ts';
import type { NotificationReason } from '../store/alerts/alert-table.ts';
import { freshReference, insertMessage, type Message, messageRows } from '../store/alerts/message-table.ts';
import { type AddressedRow, addressedRows } from '../store/alerts/outbox-table.ts';
import { commit, type DeliveryPass, LENGTH_MAX, recipientAt } from './delivery-pass.ts';
import { isQuiet } from './quiet-hours.ts';

/** UTF-16 units: the reason is an operator's. */
const FROZEN_LENGTH_MAX = 200;

/** Makes a message per recipient of everything that may be told by the channel now; more where answers are asked for. */
export async function bundle(pass: DeliveryPass, channel: Channel): Promise<void> {
  const nowMs = pass.clock.now();
  const first = frozenLines(await pass.frozen()).map((line) => `${outsideText(line, FROZEN_LENGTH_MAX)}\n`);
  const head = first.join('');
  await commit(pass, 'bundle', async (trx) => {
    const ready = (await addressedRows(trx)).filter((row) => row.channel === channel && !waits(pass, row, row));
    for (const [recipient, rows] of Map.groupBy(ready, (row) => row.recipient)) {
      for (const { text, told, counted } of composeMessages(rows, LENGTH_MAX[channel] - head.length)) {
        const reference = await freshReference(trx);
        const message = {
          channel,
          recipient,
          text: withReference(`${head}${text}`, reference),
          reference,
          rowIds: told.map(({ id }) => id),
          countedIds: counted.map(({ id }) => id),
        };
        await insertMessage(trx, message, nowMs);
      }
    }
  });
}

/** Whether a message that was put together earlier is for now. */
export async function mayGoNow(pass: DeliveryPass, message: Message): Promise<boolean> {
  const rows = await messageRows(pass.state.db, message.id);
  return rows.some((row) => !waits(pass, message, row));
}

/** Quiet hours are the recipient's. Somebody who has asked is awake. */
function waits(
  { alerts, clock }: DeliveryPass,
  { channel, recipient: address }: { readonly channel: Channel; readonly recipient: string },
  { severity, reason }: Pick<AddressedRow, 'severity' | 'reason'>,
): boolean {
  const recipient = recipientAt(alerts, channel, address);
  if (recipient === undefined || reason === 'reply' || reason === 'test') return false;
  return isQuiet(recipient, severity, clock.now());
}

/** What one alert says in a message. */
export interface Part {
  readonly severity: AlertSeverity;
  readonly reason: NotificationReason;
  readonly text: string;
  /** The two lines that ask for an answer; undefined for what asks for none. */
  readonly short: string | undefined;
}

/** One text, and what it tells. */
export interface Composed<One> {
  readonly text: string;
  /** In words. */
  readonly told: readonly One[];
  /** As one of a number only. */
  readonly counted: readonly One[];
}

/** How many messages a recipient gets at once, at most. */
const MESSAGES_MAX = 5;
const BETWEEN = '\n\n';
/** Less of an alert than this is worth nothing. */
const CUT_LENGTH_MIN = 80;
const URGENCY: Readonly<Record<AlertSeverity, number>> = { critical: 0, warning: 1, info: 2 };
/** In which order alerts stand in a message. */
const CRITICAL = 0;
const ANSWER = 1;
const DIGEST = 2;
const ASKING = 3;
const CHANGE = 4;
const CONDITION = 5;
const OVER = 6;

/** The text with the reference on a line of its own. */
export function withReference(text: string, reference: string): string {
  return `${text}\nRef ${referenceWord(reference)}`;
}

/**
 * The texts of several alerts, each in at most `lengthMax` UTF-16 units: what is critical first, then answers, the newest
 * digest, which is always told whole, what asks for an answer, changes, conditions, and last what is over. What asks for an
 * answer is told whatever there is: as a line each where there is no room for its text, and in further messages where there is
 * none for the lines; what is in none of the texts, after five of them, is to be told later. Anything else that does not fit is
 * counted in the first. Alerts are left whole; only one that stands first and alone is too long is cut.
 */
export function composeMessages<One extends Part>(parts: readonly One[], lengthMax: number): Composed<One>[] {
  const ordered = [...parts].sort(
    (one, other) => rankOf(one) - rankOf(other) || URGENCY[one.severity] - URGENCY[other.severity],
  );
  const others = ordered.filter(({ short }) => short === undefined);
  let asking = ordered.filter(({ short }) => short !== undefined);
  const composed: Composed<One>[] = [];
  while (composed.length < MESSAGES_MAX && (asking.length > 0 || (composed.length === 0 && others.length > 0))) {
    const draft = new Draft(composed.length === 0 ? others : [], lengthMax);
    asking = asking.slice(draft.fill(asking));
    composed.push(draft.composed());
  }
  return composed;
}

function rankOf({ severity, reason, short }: Part): number {
  if (reason === 'resolved') return OVER;
  if (severity === 'critical') return CRITICAL;
  if (short !== undefined) return ASKING;
  if (reason === 'reply' || reason === 'test') return ANSWER;
  if (reason === 'digest') return DIGEST;
  return reason === 'event' ? CHANGE : CONDITION;
}

/** A message that is being put together: what is not in it is counted. */
class Draft<One extends Part> {
  readonly #others: readonly One[];
  readonly #lengthMax: number;
  /** What of each is told. */
  readonly #texts = new Map<One, string>();
  #lines: readonly One[] = [];

  constructor(others: readonly One[], lengthMax: number) {
    this.#others = others;
    this.#lengthMax = lengthMax;
  }

  /** Tells as much as there is room for. Returns how many of those that ask for an answer are told, the first ones. */
  fill(asking: readonly One[]): number {
    if (this.#tellAll([...asking, ...this.#others])) return asking.length;
    const kept = [...this.#ranked(DIGEST).slice(-1), ...this.#ranked(ANSWER)];
    for (const part of kept) this.#tell(part);
    const critical = this.#ranked(CRITICAL);
    if (this.#tellWhile(critical) === 0) this.#tellCut(critical[0]);
    let told = 0;
    while (told < asking.length && this.#asLines(asking.slice(0, told + 1))) told += 1;
    if (told < asking.length) {
      if (told === 0 && this.#texts.size === 0) told = this.#tellCut(asking[0]);
      return told;
    }
    for (const [index, part] of asking.entries()) {
      if (!this.#tell(part, asking.slice(index + 1))) break;
    }
    const rest = this.#others.filter((part) => !this.#texts.has(part));
    const isEmpty = this.#texts.size + this.#lines.length === 0;
    if (this.#tellWhile(rest) === 0 && isEmpty) this.#tellCut(rest[0]);
    return told;
  }

  composed(): Composed<One> {
    return {
      text: this.#render(),
      told: [...this.#texts.keys(), ...this.#lines],
      counted: this.#others.filter((part) => !this.#texts.has(part)),
    };
  }

  #ranked(rank: number): One[] {
    return this.#others.filter((part) => rankOf(part) === rank);
  }

  #tellAll(parts: readonly One[]): boolean {
    const length = parts.reduce((sum, { text }) => sum + text.trim().length + BETWEEN.length, -BETWEEN.length);
    if (length > this.#room) return false;
    for (const part of parts) this.#texts.set(part, part.text.trim());
    return true;
  }

  /** Tells them as long as there is room. Returns how many. */
  #tellWhile(parts: readonly One[]): number {
    const end = parts.findIndex((part) => !this.#tell(part));
    return end < 0 ? parts.length : end;
  }

  /** Tells one more, if there is room beside what is told in lines. */
  #tell(part: One, lines = this.#lines): boolean {
    const before = this.#lines;
    this.#lines = lines;
    this.#texts.set(part, part.text.trim());
    if (this.#fits()) return true;
    this.#texts.delete(part);
    this.#lines = before;
    return false;
  }

  #asLines(lines: readonly One[]): boolean {
    const before = this.#lines;
    this.#lines = lines;
    if (this.#fits()) return true;
    this.#lines = before;
    return false;
  }

  /** Tells as much of it as there is room for. Returns how many are told. */
  #tellCut(part: One | undefined): number {
    if (part === undefined) return 0;
    const first = this.#texts.size === 0;
    this.#texts.set(part, '');
    const room = this.#room - this.#render().length;
    if (first || room >= CUT_LENGTH_MIN) this.#texts.set(part, cutText(part.short ?? part.text.trim(), room));
    else this.#texts.delete(part);
    return this.#texts.has(part) ? 1 : 0;
  }

  get #room(): number {
    return this.#lengthMax - withReference('', 'X'.repeat(REFERENCE_LENGTH)).length;
  }

  #fits(): boolean {
    return this.#render().length <= this.#room;
  }

  #render(): string {
    const told = [...this.#texts].sort(([one], [other]) => rankOf(one) - rankOf(other));
    const upTo = told.filter(([part]) => rankOf(part) <= ASKING).map(([, text]) => text);
    const after = told.filter(([part]) => rankOf(part) > ASKING).map(([, text]) => text);
    const lines = this.#lines.length === 0 ? [] : [this.#lines.map(({ short = '' }) => short).join('\n')];
    return [...upTo, ...lines, ...after, ...moreOf(this.#others.filter((part) => !this.#texts.has(part)).length)].join(
      BETWEEN,
    );
  }
}

function moreOf(count: number): string[] {
  return count === 0 ? [] : [`+${count.toLocaleString('en')} more: pacekeeper alerts list`];
}
