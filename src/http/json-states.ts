/**
 * What may stand in JSON outside of strings, as states from byte to byte. SQLite's parser would also take comments, single
 * quotes, names without quotes, NaN, hexadecimal numbers and the like, which are no JSON; whether commas, colons and
 * brackets stand where they should is left to it, but for a comma before a closing bracket, which it would take.
 */

/** The byte cannot stand there. */
export const BAD = 0;
/** A value may begin here, and anything else may stand. */
export const BETWEEN = 1;
/** As between, but nothing may close. */
const AFTER_COMMA = 2;
/** After a number or a literal and white space. */
const AFTER_VALUE = 3;

const [MINUS, ZERO, WHOLE, POINT, FRACTION, EXPONENT, SIGN, POWER] = [4, 5, 6, 7, 8, 9, 10, 11];
const FIRST_LETTER = 12;
/** From this one on the state is within true or false. */
export const WITHIN_BOOLEAN = 15;

const WHITE = ' \t\n\r';
const DIGITS = '0123456789';
const STATES_MAX = 32;

/** The next state, at index `state << 8 | byte`. */
export const NEXT_STATE: Uint8Array = nextStates();

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

/** Whether the byte may follow a backslash in a string: SQLite would take others, too. */
export const ESCAPES: Uint8Array = escapes();

function escapes(): Uint8Array {
  const known = new Uint8Array(256);
  for (const character of '"\\/bfnrtu') known[character.charCodeAt(0)] = 1;
  return known;
}
