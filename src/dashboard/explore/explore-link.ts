import { explorePath, linkFrom } from '../../domain/pages.ts';
import { type Html, html } from '../../views/html/html.ts';

/** A link to the rows of the SELECT. Only the words if the address would be too long. */
export function exploreLink(here: string, sql: string, words: Html | string): Html {
  const path = explorePath(sql);
  return path === undefined ? html`${words}` : html`<a href="${linkFrom(here, path)}">${words}</a>`;
}

/** Links to the SELECT and to its rows as a file. `of` names the rows if a page has several such links. */
export function sqlLinks(here: string, sql: string, of = ''): Html {
  const file = explorePath(sql, { format: 'csv' });
  const csv = file && html` <a href="${linkFrom(here, file)}">CSV${of}</a>`;
  return html`${exploreLink(here, sql, `SQL${of}`)}${csv}`;
}
