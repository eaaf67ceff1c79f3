/** The condition with the numbers that decided, without its days and the amounts. */
export function shortReason(reason: string): string {
  return reason.split(/; |, \d{4}-\d{2}-\d{2}\b/, 1)[0] ?? reason;
}
