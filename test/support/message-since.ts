/** Makes a message that was sent at that instant. */
export function messageSince(reference: string, at: string): string {
  return `INSERT INTO message (channel, recipient, text, reference, state, requested_at, created_at, updated_at)
    VALUES ('messages', '+15550100002', 'since', '${reference}', 'accepted', '${at}', '${at}', '${at}')`;
}
