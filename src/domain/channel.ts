/** The ways a message leaves: the form-encoded interface (area C) and the messaging interface of the graph (area A). */
export const CHANNELS = ['messages', 'graph'] as const;
export type Channel = (typeof CHANNELS)[number];

/** From mild to urgent. */
export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

/** `whatsapp:+49…67`: enough to tell two recipients apart. Apart from the phone numbers' library, which slows each start. */
export function maskRecipient(recipient: string): string {
  return recipient.replace(/\+(\d{2})\d+(\d{2})$/, '+$1…$2');
}

/** Without the letters and digits that people mistake for one another: 0 O Q, 1 I L, 2 Z, 5 S, 8 B, U V. */
export const UNAMBIGUOUS = 'ACDEFGHJKMNPRTWXY34679';
/** Characters of a message's reference. */
export const REFERENCE_LENGTH = 8;

const WORD = new RegExp(`\\bpk-([${UNAMBIGUOUS}]{${REFERENCE_LENGTH}})(?![A-Z0-9])`);

/** The word by which a message is found again, in its text and at the provider: `pk-7K3QACDE` without its `Ref`. */
export function referenceWord(reference: string): string {
  return `pk-${reference}`;
}

/** The reference in a text that holds its word. */
export function readReference(text: string): string | undefined {
  return WORD.exec(text)?.[1];
}
