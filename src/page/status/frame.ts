import type { Frozen } from '../../domain/frozen.ts';
import { shortLine } from '../../domain/short-line.ts';
import { document } from '../document.ts';
import { type Html, html, trusted } from '../html.ts';
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

const PAGES = [
  ['', 'Overview'],
  ['proposals', 'Proposals'],
  ['budgets', 'Budgets'],
  ['alerts', 'Alerts'],
  ['coverage', 'Coverage'],
  ['runs', 'Runs'],
] as const;

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

/** The way from a page up to where all of them hang: relative, for a proxy may put them below a path of its own. */
export function rootFrom(path: string): string {
  const depth = path.split('/').length - 2;
  return depth > 0 ? '../'.repeat(depth) : './';
}

function navigation(path: string): Html {
  const root = rootFrom(path);
  const here = path.split('/')[1] ?? '';
  const links = PAGES.map(([page, name]) => {
    const current = page === here ? html` aria-current="page"` : undefined;
    return html`<li><a href="${root}${page}"${current}>${name}</a></li>`;
  });
  return html`<ul>${links}</ul>
<form method="post" action="${root}logout"><button type="submit">Log out</button></form>`;
}
