import { type AlertSeverity, REFERENCE_LENGTH, referenceWord, withoutReplies } from '../domain/channel.ts';
import { frozenLines } from '../domain/frozen.ts';
import { cutText, outsideText } from '../domain/outside-text.ts';
import type { NotificationReason } from '../storage/records/alerts/alert-table.ts';
import { freshReference, insertMessage, type Message, messageRows } from '../storage/records/alerts/message-table.ts';
import type { Address } from '../storage/records/alerts/outbox-row.ts';
import { type AddressedRow, addressedRows } from '../storage/records/alerts/outbox-table.ts';
import { alertsWithMail } from '../storage/records/alerts/report-mail-table.ts';
import { commit } from '../storage/records/in-transaction.ts';
import { type DeliveryChannel, type DeliveryPass, recipientAt } from './delivery-pass.ts';
import { isQuiet } from './quiet-hours.ts';
import { needsTemplate } from './reply-window.ts';

/** In UTF-16 units. The line about a freeze contains a reason that a person wrote, so the line can be long. */
const FROZEN_LENGTH_MAX = 200;

export async function bundle(
  pass: DeliveryPass,
  { name: channel, textLengthMax, replies, opened }: DeliveryChannel,
): Promise<void> {
  const nowMs = pass.clock.now();
  const first = frozenLines(await pass.frozen()).map((line) => `${outsideText(line, FROZEN_LENGTH_MAX)}\n`);
  const head = first.join('');
  await commit(pass, 'bundle', async (trx) => {
    const ready = (await addressedRows(trx))
      .filter((row) => row.channel === channel && !waits(pass, row, row))
      .map((row) => (replies === undefined ? askingElsewhere(row, pass.publicUrl) : row));
    const mailed = await alertsWithMail(trx);
    const keyOf = ({ recipient, alertId }: AddressedRow) =>
      mailed.has(alertId) ? `${recipient} ${alertId}` : recipient;
    for (const rows of Map.groupBy(ready, keyOf).values()) {
      const [{ recipient } = { recipient: '' }] = rows;
      const byTemplate = opened !== undefined && (await needsTemplate(trx, opened, { channel, recipient }, nowMs));
      const lengthMax = (byTemplate ? opened.window?.textLengthMax : undefined) ?? textLengthMax;
      for (const { text, told, counted } of composeMessages(rows, lengthMax - head.length)) {
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

/** For channels that do not prove who answers. */
export function askingElsewhere<Row extends Pick<AddressedRow, 'text' | 'short' | 'proposalCode'>>(
  row: Row,
  dashboardUrl: string | undefined,
): Row {
  const said = (text: string) => withoutReplies(text, row.proposalCode, dashboardUrl);
  return { ...row, text: said(row.text), short: row.short && said(row.short) };
}

export async function mayGoNow(pass: DeliveryPass, message: Message): Promise<boolean> {
  const rows = await messageRows(pass.state.db, message.id);
  return rows.some((row) => !waits(pass, message, row));
}

/** Quiet hours do not apply to replies and tests. */
function waits(
  { alerts, clock }: DeliveryPass,
  { channel, recipient: address }: Address,
  { severity, reason }: Pick<AddressedRow, 'severity' | 'reason'>,
): boolean {
  const recipient = recipientAt(alerts, channel, address);
  if (recipient === undefined || reason === 'reply' || reason === 'test') return false;
  return isQuiet(recipient, severity, clock.now());
}

export interface Part {
  readonly severity: AlertSeverity;
  readonly reason: NotificationReason;
  readonly text: string;
  /** The short form of an alert that asks for an answer. Undefined for other alerts. */
  readonly short: string | undefined;
}

export interface Composed<One> {
  readonly text: string;
  /** Alerts that the text shows: in full, shortened or cut. */
  readonly told: readonly One[];
  /** Alerts that the message only counts. */
  readonly counted: readonly One[];
}

const MESSAGES_MAX = 5;
const BETWEEN = '\n\n';
const CUT_LENGTH_MIN = 80;
const URGENCY: Readonly<Record<AlertSeverity, number>> = { critical: 0, warning: 1, info: 2 };
const CRITICAL = 0;
const ANSWER = 1;
const DIGEST = 2;
const ASKING = 3;
const CHANGE = 4;
const CONDITION = 5;
const OVER = 6;

export function withReference(text: string, reference: string): string {
  return `${text}\nRef ${referenceWord(reference)}`;
}

/** Alerts that do not fit are only counted in a text, or wait for the next delivery. `lengthMax` is in UTF-16 units. */
export function composeMessages<One extends Part>(parts: readonly One[], lengthMax: number): Composed<One>[] {
  const ordered = inOrder(parts);
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

export function inOrder<One extends Omit<Part, 'text'>>(parts: readonly One[]): One[] {
  return [...parts].sort(
    (one, other) => rankOf(one) - rankOf(other) || URGENCY[one.severity] - URGENCY[other.severity],
  );
}

function rankOf({ severity, reason, short }: Omit<Part, 'text'>): number {
  if (reason === 'resolved') return OVER;
  if (severity === 'critical') return CRITICAL;
  if (short !== undefined) return ASKING;
  if (reason === 'reply' || reason === 'test') return ANSWER;
  if (reason === 'digest') return DIGEST;
  return reason === 'event' ? CHANGE : CONDITION;
}

class Draft<One extends Part> {
  readonly #others: readonly One[];
  readonly #lengthMax: number;
  readonly #texts = new Map<One, string>();
  #lines: readonly One[] = [];

  constructor(others: readonly One[], lengthMax: number) {
    this.#others = others;
    this.#lengthMax = lengthMax;
  }

  /** Returns how many alerts of `asking` the message shows, counted from the first. */
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

  #tellWhile(parts: readonly One[]): number {
    const end = parts.findIndex((part) => !this.#tell(part));
    return end < 0 ? parts.length : end;
  }

  #tell(part: One, lines = this.#lines): boolean {
    this.#texts.set(part, part.text.trim());
    if (this.#asLines(lines)) return true;
    this.#texts.delete(part);
    return false;
  }

  #asLines(lines: readonly One[]): boolean {
    const before = this.#lines;
    this.#lines = lines;
    if (this.#render().length <= this.#room) return true;
    this.#lines = before;
    return false;
  }

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
