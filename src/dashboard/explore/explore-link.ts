import { explorePath, linkFrom } from '../../domain/pages.ts';
import { type Html, html } from '../../views/html/html.ts';

/** A link to the rows of the SELECT. Only the words if the address would be too long. */
export function exploreLink(here: string, sql: string, words: Html | string): Html {
  const path = explorePath(sql);
  return path === undefined ? html`${words}` : html`<a href="${linkFrom(here, path)}">${words}</a>`;
}
