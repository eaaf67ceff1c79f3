import { html } from '../../views/html/html.ts';
import { frame } from './frame.ts';

export interface MessagePage {
  readonly path: string;
  readonly title: string;
  readonly sentences: readonly string[];
  readonly link?: { readonly href: string; readonly words: string };
  readonly isKnown?: boolean;
}

export function messagePage({ path, title, sentences, link, isKnown = false }: MessagePage): string {
  const lines = sentences.filter((sentence) => sentence !== '').map((sentence) => html`<p>${sentence}</p>`);
  const way = link && html`<p class="ways"><a href="${link.href}">${link.words}</a></p>`;
  return frame({ path, title, isKnown, body: html`<h1>${title}</h1>${lines}${way}` });
}
