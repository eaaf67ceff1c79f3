import { type Html, html } from '../../html/html.ts';
import { linkFrom, PAGES } from '../../html/pages.ts';
import { exploreQuery } from './explore-text.ts';

/** A link to the rows of one SELECT over the published file. `here` is the path of the page that shows the link. */
export function exploreLink(here: string, sql: string, words: Html | string): Html {
  return html`<a href="${linkFrom(here, PAGES.explore.path)}${exploreQuery(sql)}">${words}</a>`;
}
