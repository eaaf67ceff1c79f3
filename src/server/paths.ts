import { LOGIN_PATH, LOGOUT_PATH, PAGES, pageAt } from '../page/status/pages.ts';

export const GRAPH_PATH = '/webhooks/graph';
export const MESSAGES_PATH = '/webhooks/messages';
export const HEALTH_PATH = '/health';
export const METRICS_PATH = '/metrics';

const PLAIN_PATHS: readonly string[] = [GRAPH_PATH, MESSAGES_PATH, HEALTH_PATH, METRICS_PATH, LOGIN_PATH, LOGOUT_PATH];

/** The declared path, such as `/runs/:id`: it holds nothing that was sent. Undefined where there is none. */
export function declaredPath(path: string): string | undefined {
  if (PLAIN_PATHS.includes(path)) return path;
  const page = pageAt(path);
  return page && PAGES[page.name].path;
}

/** The words for a path in the log. */
export function loggedPath(path: string): string {
  return declaredPath(path) ?? 'of another path';
}
