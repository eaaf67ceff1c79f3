/** Why something was not done, as a part of a sentence. */
export const ASKED_TO_STOP = 'the run was asked to stop';

/** Whether a sentence of a record says so: what did not happen then did not fail. */
export function tellsOfStop(sentence: string | undefined): boolean {
  return sentence?.toLowerCase().includes(ASKED_TO_STOP) === true;
}

/** The same of one thing, as the record of it has it. */
export const NOT_SENT_BY_STOP = 'The run was asked to stop before it was sent.';
