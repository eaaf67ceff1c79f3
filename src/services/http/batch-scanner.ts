import type { ApiError } from '../../domain/errors.ts';
import { malformed, tooLarge } from './classify-failure.ts';

// States while reading JSON outside strings. Invalid JSON leads to BAD, even if SQLite would accept the text.

const BAD = 0;
/** A value can start here. */
const BETWEEN = 1;
/** After a comma, no bracket can close. */
const AFTER_COMMA = 2;
/** After a number, `true`, `false` or `null`. */
const AFTER_VALUE = 3;

const MINUS = 4;
const ZERO = 5;
const WHOLE = 6;
const POINT = 7;
const FRACTION = 8;
const EXPONENT = 9;
const SIGN = 10;
const POWER = 11;
const FIRST_LETTER = 12;
/** This state and all later states are inside `true` or `false`. */
const WITHIN_BOOLEAN = 15;

const WHITE = ' \t\n\r';
const DIGITS = '0123456789';
const STATES_MAX = 32;

/** The next state is at index `state << 8 | byte`. */
const NEXT_STATE: Uint8Array = nextStates();

function nextStates(): Uint8Array {
  const next = new Uint8Array(STATES_MAX << 8);
  const on = (states: readonly number[], characters: string, to: number) => {
    for (const state of states) {
      for (const character of characters) next[(state << 8) | character.charCodeAt(0)] = to;
    }
  };
  const open = [BETWEEN, AFTER_COMMA];
  on(open, '{["', BETWEEN);
  on([BETWEEN], `${WHITE}:]}`, BETWEEN);
  on([BETWEEN], ',', AFTER_COMMA);
  on([AFTER_COMMA], WHITE, AFTER_COMMA);

  on(open, '-', MINUS);
  on([...open, MINUS], '0', ZERO);
  on([...open, MINUS], '123456789', WHOLE);
  on([WHOLE], DIGITS, WHOLE);
  on([ZERO, WHOLE], '.', POINT);
  on([POINT, FRACTION], DIGITS, FRACTION);
  on([ZERO, WHOLE, FRACTION], 'eE', EXPONENT);
  on([EXPONENT], '+-', SIGN);
  on([EXPONENT, SIGN, POWER], DIGITS, POWER);

  let state = FIRST_LETTER;
  const ends = [AFTER_VALUE, ZERO, WHOLE, FRACTION, POWER];
  for (const literal of ['null', 'true', 'false']) {
    let from = open;
    for (const letter of literal.slice(0, -1)) {
      on(from, letter, state);
      from = [state++];
    }
    on(from, literal.slice(-1), AFTER_VALUE);
  }
  on(ends, WHITE, AFTER_VALUE);
  on(ends, ',', AFTER_COMMA);
  on(ends, ']}', BETWEEN);
  return next;
}

/** Valid characters after a backslash. SQLite would accept more. */
const ESCAPES: Uint8Array = escapes();

function escapes(): Uint8Array {
  const known = new Uint8Array(256);
  for (const character of '"\\/bfnrtu') known[character.charCodeAt(0)] = 1;
  return known;
}

export type ScanEvent =
  /** `json` is an unparsed array of rows. `booleans` is true if the array contains `true` or `false`. */
  | { readonly kind: 'rows'; readonly json: Uint8Array; readonly booleans: boolean }
  /** The object of a complete batch, but with empty `results`. */
  | { readonly kind: 'envelope'; readonly json: Uint8Array };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const RESULTS_KEY = Buffer.from('results');
const ARRAY_OPEN = Buffer.from('[');
const ARRAY_CLOSE = Buffer.from(']');

/** Small enough for the processor's cache. */
const ROWS_BYTES = 256 * 1024;
const PIECE_BYTES_MAX = 64 * 1024 * 1024;

type Phase = 'before_array' | 'array_opened' | 'in_element' | 'after_element' | 'after_comma' | 'done';

/**
 * Splits a stream such as `[{"results":[row, row, …], …}, …]` between rows. It does not parse them, because SQLite
 * does. A block of the network can end anywhere, even within an escape, so all state is in fields. Bytes are enough,
 * because UTF-8 has no bracket or quote within a longer character. SQLite accepts more than JSON, and could store a
 * damaged row as another value. So a table of states refuses everything else. Only pairs of brackets are left to
 * SQLite. Rows leave the scanner before their batch is complete, and an error can follow them. So the caller keeps
 * nothing before {@link BatchScanner.end}. A stream that is cut off between two batches would look complete without
 * that.
 */
export class BatchScanner {
  #phase: Phase = 'before_array';
  #inArray = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inRows = false;
  #rowsRead = false;
  /** True after a comma between rows, because another row must follow. */
  #rowOwed = false;
  /** How many bytes of `results` the last text of the batch has so far, or -1 if it differs. A colon follows a key. */
  #keyBytes = 0;
  #keyIsResults = false;
  #rows: Uint8Array[] = [];
  #envelope: Uint8Array[] = [];
  #pieceBytes = 0;
  #booleans = false;
  #state = BETWEEN;
  #events: ScanEvent[] = [];

  push(chunk: Uint8Array): ScanEvent[] {
    this.#events = [];
    let pieceStart = 0;
    const length = chunk.length;
    for (let index = 0; index < length; index++) {
      if (this.#inRows && this.#depth > 2) {
        index = this.#skipRow(chunk, index);
        continue;
      }
      const byte = chunk[index] as number;
      if (this.#inString) {
        index = this.#skipString(chunk, index);
        continue;
      }
      if (this.#phase !== 'in_element') {
        if (this.#outside(byte)) pieceStart = index;
        continue;
      }
      if (this.#inRows) this.#follow(byte);
      switch (byte) {
        case QUOTE:
          this.#inString = true;
          if (this.#depth === 1) this.#keyBytes = 0;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#depth++;
          if (byte === OPEN_BRACKET && this.#depth === 2 && this.#keyIsResults) {
            if (this.#rowsRead) throw malformed('MALFORMED', 'A batch of the stream has "results" twice', false);
            this.#keep(chunk, pieceStart, index + 1);
            this.#inRows = true;
            this.#rowsRead = true;
            this.#state = BETWEEN;
            pieceStart = index + 1;
          }
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#depth--;
          if (this.#inRows && this.#depth === 1) {
            this.#keep(chunk, pieceStart, index);
            this.#emitRows(this.#rowOwed);
            this.#rowOwed = false;
            this.#inRows = false;
            pieceStart = index;
          } else if (this.#depth === 0) {
            this.#keep(chunk, pieceStart, index + 1);
            this.#emitEnvelope();
            pieceStart = index + 1;
          }
          break;
        case COMMA:
          if (this.#inRows && this.#depth === 2 && this.#pieceBytes + index - pieceStart >= ROWS_BYTES) {
            this.#keep(chunk, pieceStart, index);
            this.#emitRows(true);
            this.#rowOwed = true;
            pieceStart = index + 1;
          }
          break;
        case COLON:
          if (this.#depth === 1) this.#keyIsResults = this.#keyBytes === RESULTS_KEY.length;
          break;
        default:
          break;
      }
    }
    if (this.#phase === 'in_element') this.#keep(chunk, pieceStart, length);
    return this.#events;
  }

  /** Throws if the final `]` is missing, because the answer is then incomplete. */
  end(): void {
    if (this.#phase !== 'done') throw malformed('TRUNCATED', 'The stream ended before its final "]"', true);
  }

  /** Returns the last index read. */
  #skipString(chunk: Uint8Array, from: number): number {
    const isOfBatch = this.#depth === 1;
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (this.#escaped) {
        if (this.#inRows && ESCAPES[byte] === 0) throw notJson(byte);
        this.#escaped = false;
      } else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        return index;
      }
      if (isOfBatch) this.#keyBytes = byte === RESULTS_KEY[this.#keyBytes] ? this.#keyBytes + 1 : -1;
    }
    return chunk.length;
  }

  // Returns the last index read. Local variables are twice as fast here as fields.
  #skipRow(chunk: Uint8Array, from: number): number {
    const length = chunk.length;
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let state = this.#state;
    let index = from;
    while (index < length && depth > 2) {
      let byte = chunk[index++] as number;
      if (escaped) {
        if (ESCAPES[byte] === 0) throw notJson(byte);
        escaped = false;
      } else if (inString) {
        while (byte !== QUOTE && byte !== BACKSLASH && index < length) byte = chunk[index++] as number;
        if (byte === QUOTE) inString = false;
        else if (byte === BACKSLASH) escaped = true;
      } else {
        state = NEXT_STATE[(state << 8) | byte] as number;
        if (byte === QUOTE) inString = true;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
        else if (state >= WITHIN_BOOLEAN) this.#booleans = true;
        if (state === BAD) throw notJson(byte);
      }
    }
    this.#state = state;
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    return index - 1;
  }

  #follow(byte: number): void {
    this.#state = NEXT_STATE[(this.#state << 8) | byte] as number;
    if (this.#state >= WITHIN_BOOLEAN) this.#booleans = true;
    if (this.#state === BAD) throw notJson(byte);
  }

  /** Returns true if a batch starts at this byte. */
  #outside(byte: number): boolean {
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return false;
    const phase = this.#phase;
    const complete = phase === 'after_element' && this.#inArray;
    if (phase === 'before_array' && byte === OPEN_BRACKET) {
      this.#phase = 'array_opened';
      this.#inArray = true;
    } else if (complete && byte === COMMA) this.#phase = 'after_comma';
    else if ((complete || phase === 'array_opened') && byte === CLOSE_BRACKET) this.#phase = 'done';
    else if (byte === OPEN_BRACE && phase !== 'after_element' && phase !== 'done') return this.#openElement();
    else throw this.#unexpected(byte);
    return false;
  }

  /** The object can also be outside an array, because a failure can have this form. */
  #openElement(): boolean {
    this.#phase = 'in_element';
    this.#depth = 1;
    this.#rowsRead = false;
    return true;
  }

  #unexpected(byte: number): ApiError {
    if (this.#phase === 'before_array' && byte === 0x3c) {
      return malformed('HTML', 'The answer is an HTML page, expected a stream of batches', false);
    }
    const found = JSON.stringify(String.fromCharCode(byte));
    return malformed('MALFORMED', `Found ${found} between two batches of the stream, expected JSON`, false);
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    if (end <= start) return;
    (this.#inRows ? this.#rows : this.#envelope).push(chunk.subarray(start, end));
    this.#pieceBytes += end - start;
    if (this.#pieceBytes > PIECE_BYTES_MAX) {
      throw tooLarge('One row of the stream', PIECE_BYTES_MAX);
    }
  }

  #emitRows(rowOwed: boolean): void {
    const bytes = this.#rows.some((part) => part.some((byte) => byte > 0x20));
    if (!bytes && rowOwed) throw malformed('MALFORMED', 'Found a comma without a row in the stream', false);
    const json = Buffer.concat([ARRAY_OPEN, ...this.#rows, ARRAY_CLOSE]);
    if (bytes) this.#events.push({ kind: 'rows', json, booleans: this.#booleans });
    this.#booleans = false;
    this.#rows = [];
    this.#pieceBytes = 0;
  }

  #emitEnvelope(): void {
    this.#events.push({ kind: 'envelope', json: Buffer.concat(this.#envelope) });
    this.#envelope = [];
    this.#pieceBytes = 0;
    this.#phase = 'after_element';
  }
}

function notJson(byte: number): ApiError {
  const found = JSON.stringify(String.fromCharCode(byte));
  return malformed('MALFORMED', `Invalid JSON in a row of the stream: found ${found}`, false);
}
