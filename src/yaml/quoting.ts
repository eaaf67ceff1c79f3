/**
 * What may be repeated of a text that may hold secrets, by the place where it stands. What is not allowed here is
 * neither named in a message nor shown in a line.
 */
export interface Quoting {
  /** Whether the key that the path ends in may be named. */
  key(path: readonly (string | number)[]): boolean;
  /** Whether it may be seen what the value at the path is made of: its brackets, commas and dashes. */
  shape(path: readonly (string | number)[]): boolean;
  /** Whether the scalar may be repeated that is written at the path, on one line and without anything to interpret. */
  value(path: readonly (string | number)[], text: string): boolean;
  /** What to do about a key that is not known; names no key that is not. */
  hint(path: readonly (string | number)[]): string | undefined;
  /** What to do about a value that is none; shows no more of it than what it is nearly the same as. */
  valueHint?(path: readonly (string | number)[], text: string): string | undefined;
  /** The keys that may be shown where the text is damaged, and places in it mean little. */
  readonly words: ReadonlySet<string>;
}
