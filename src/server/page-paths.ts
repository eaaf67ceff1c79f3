/** The pages by their paths; ids are digits. */
export const PAGE_PATH = /^\/(?:proposals|runs|runs\/\d{1,19}|coverage|budgets|budgets\/\d{1,19}\/\d{1,19}|alerts)?$/;

/** What of a path may stand in a log: which page it is, and nothing that was sent. */
export function loggedPath(path: string): string {
  return knownPath(path) ?? 'of another path';
}

/** One of ours with its ids left out; undefined for any other. */
export function knownPath(path: string): string | undefined {
  if (/^\/(webhooks\/(graph|messages)|health|metrics|login|logout)$/.test(path)) return path;
  return PAGE_PATH.test(path) ? path.replace(/\d+/g, ':id') : undefined;
}
