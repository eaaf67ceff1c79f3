/** Why something was not done, as a part of a sentence. */
export const ASKED_TO_STOP = 'the run was asked to stop';

/** The same of one thing, as the record of it has it. */
export const NOT_SENT_BY_STOP = 'The run was asked to stop before it was sent.';
