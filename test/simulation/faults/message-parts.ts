/** What a message tells, alert by alert: without the freeze that stands first and the reference that stands last. */
export function partsOf(body: string): string[] {
  return body
    .replace(/^No budget is changed: .*\n/, '')
    .replace(/\nRef pk-\w+$/, '')
    .split('\n\n');
}
