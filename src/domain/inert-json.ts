/**
 * A JSON text with escapes for what JSON leaves as it is and a terminal obeys: control characters from U+007F on, and those that turn
 * the direction of what follows. Whoever parses it reads the same.
 */
export function inertJson(json: string): string {
  return json.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const OBEYED = /[\u007f-\u009f]|\p{Bidi_Control}/gu;
