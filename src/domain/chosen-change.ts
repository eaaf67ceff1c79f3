/** A change that a person approves. `amount` is the text of a smaller step. Without it, the whole change is meant. */
export interface ChosenChange {
  readonly code: string;
  readonly amount: string | undefined;
}

/** Reads "K7PX", or "K7PX=60.00" for a smaller step. */
export function chosenChange(text: string): ChosenChange {
  const at = text.indexOf('=');
  return at === -1 ? { code: text, amount: undefined } : { code: text.slice(0, at), amount: text.slice(at + 1) };
}
