/** Progress and warnings for a person, one line each; goes to stderr. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
}
