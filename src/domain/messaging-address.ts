/** Whether a text is `<channel>:+<number>` with the number in international form (requirement C2). */
export function isMessagingAddress(text: string): boolean {
  return /^[a-z][a-z0-9]*:\+[1-9]\d{6,14}$/.test(text);
}
