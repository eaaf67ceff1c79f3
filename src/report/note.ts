/** What a note is about. */
export type NoteCode =
  | 'settings'
  | 'dry_run'
  | 'simulated_cost'
  | 'not_configured'
  | 'accounts'
  | 'queries'
  | 'days'
  | 'changes'
  | 'alerts';

/** A sentence that a reader must know to judge the numbers. */
export interface Note {
  readonly code: NoteCode;
  readonly text: string;
}

export function notesOn(code: NoteCode, texts: readonly string[]): Note[] {
  return texts.map((text) => ({ code, text }));
}
