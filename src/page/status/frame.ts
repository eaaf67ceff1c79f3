import type { Frozen } from '../../domain/frozen.ts';
import { shortLine } from '../../domain/short-line.ts';
import { document } from '../document.ts';
import { type Html, html, trusted } from '../html.ts';
import { LOGOUT_PATH, linkFrom, PAGES } from './pages.ts';
import { STATUS_STYLE } from './status-style.ts';

export interface FrameOptions {
  /** Of this page, from the slash: links lead from it to the others, wherever a proxy puts them all. */
  readonly path: string;
  readonly title: string;
  readonly frozen?: Frozen | undefined;
  readonly body: Html;
  /** Whoever is not logged in sees no way to the pages. */
  readonly isKnown: boolean;
}

/** A tab has room for no more. */
const TITLE_MAX = 55;

/** A page of the status page as a whole document, with the way to the others. */
export function frame({ path, title, frozen, body, isKnown }: FrameOptions): string {
  return document({
    title: `${shortLine(title, TITLE_MAX)} · pacekeeper`,
    // Of the two that stand then the later counts: a form must say where it comes from, by which it is believed.
    head: html`<meta name="referrer" content="same-origin"><style>${trusted(STATUS_STYLE)}</style>`,
    ...(isKnown ? { nav: navigation(path) } : {}),
    frozen,
    body,
  });
}

function navigation(path: string): Html {
  const here = `/${path.split('/')[1] ?? ''}`;
  const links = Object.values(PAGES).map((page) => {
    if (!('title' in page)) return undefined;
    const current = page.path === here ? html` aria-current="page"` : undefined;
    return html`<li><a href="${linkFrom(path, page.path)}"${current}>${page.title}</a></li>`;
  });
  return html`<ul>${links}</ul>
<form method="post" action="${linkFrom(path, LOGOUT_PATH)}"><button type="submit">Log out</button></form>`;
}
