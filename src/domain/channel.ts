/** The least urgent severity is first. */
export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

/** A report as a mail shows it. */
export interface ReportMail {
  readonly subject: string;
  /** The inside of the page. Texts in it are escaped. */
  readonly html: string;
  readonly csv: { readonly name: string; readonly text: string } | undefined;
}

/** Returns text such as "whatsapp:+49…67". */
export function maskRecipient(recipient: string): string {
  return recipient.replace(/\+(\d{2})\d+(\d{2})$/, '+$1…$2');
}

/** A number without `+` gets the channel's name and `+`, so that it is masked, too. */
export function maskOnChannel(channel: string, address: string): string {
  return maskRecipient(address.includes('+') ? address : `${channel}:+${address}`);
}

/** How to decide on a proposal: by an answer, or with the command. */
export function waysToDecide(code: string, byReply: boolean): string {
  return byReply ? `Reply YES ${code} or NO ${code}` : `Decide: pacekeeper budgets approve ${code} or reject ${code}`;
}

/** The same for texts with little space. */
export function shortWaysToDecide(code: string, byReply: boolean): string {
  return waysToDecide(code, byReply).replace(/^(?:Reply|Decide:) /, '');
}

/** For a channel that does not prove who answers. */
export function withoutReplies(text: string, code: string | undefined): string {
  if (code === undefined) return text;
  return text
    .replace(waysToDecide(code, true), () => waysToDecide(code, false))
    .replace(shortWaysToDecide(code, true), () => shortWaysToDecide(code, false));
}

/** Omits characters that people confuse: 0 O Q, 1 I L, 2 Z, 5 S, 8 B, U V. */
export const UNAMBIGUOUS = 'ACDEFGHJKMNPRTWXY34679';
export const REFERENCE_LENGTH = 8;

const WORD = new RegExp(`\\bpk-([${UNAMBIGUOUS}]{${REFERENCE_LENGTH}})(?![A-Z0-9])`);

export function referenceWord(reference: string): string {
  return `pk-${reference}`;
}

export function readReference(text: string): string | undefined {
  return WORD.exec(text)?.[1];
}
