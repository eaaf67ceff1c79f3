import { type Html, html } from '../../html/html.ts';
import { linkFrom } from '../../html/pages.ts';

const PATH = '/explore';

/** A link to the rows of one SELECT over the published file. `here` is the path of the page that shows the link. */
export function exploreLink(here: string, sql: string, words: Html | string): Html {
  return html`<a href="${linkFrom(here, PATH)}?${new URLSearchParams({ sql }).toString()}">${words}</a>`;
}
