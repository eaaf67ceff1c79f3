import { html } from '../../html/html.ts';
import { frame } from './frame.ts';

export interface MessagePage {
  readonly path: string;
  readonly title: string;
  /** A paragraph each; empty ones are left out. */
  readonly sentences: readonly string[];
  /** With the way to the other pages; only for who is logged in. */
  readonly isKnown?: boolean;
}

/** A page that says why there is no other. */
export function messagePage({ path, title, sentences, isKnown = false }: MessagePage): string {
  const lines = sentences.filter((sentence) => sentence !== '').map((sentence) => html`<p>${sentence}</p>`);
  return frame({ path, title, isKnown, body: html`<h1>${title}</h1>${lines}` });
}
