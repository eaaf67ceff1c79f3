import { html } from '../../views/html/html.ts';
import { frame } from './frame.ts';
import type { RenderedPage } from './page-source.ts';

export interface MessagePage {
  readonly status: number;
  readonly path: string;
  readonly title: string;
  readonly sentences: readonly string[];
  readonly link?: { readonly href: string; readonly words: string };
  /** False for a visitor who is not logged in. */
  readonly isKnown?: boolean;
}

export function messagePage({ status, path, title, sentences, link, isKnown = true }: MessagePage): RenderedPage {
  const lines = sentences.filter((sentence) => sentence !== '').map((sentence) => html`<p>${sentence}</p>`);
  const way = link && html`<p class="ways"><a href="${link.href}">${link.words}</a></p>`;
  return { status, html: frame({ path, title, isKnown, body: html`<div class="card">${lines}${way}</div>` }) };
}
