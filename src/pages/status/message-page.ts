import { html } from '../../html/html.ts';
import { frame } from './frame.ts';

export interface MessagePage {
  readonly path: string;
  readonly title: string;
  readonly sentences: readonly string[];
  readonly isKnown?: boolean;
}

export function messagePage({ path, title, sentences, isKnown = false }: MessagePage): string {
  const lines = sentences.filter((sentence) => sentence !== '').map((sentence) => html`<p>${sentence}</p>`);
  return frame({ path, title, isKnown, body: html`<h1>${title}</h1>${lines}` });
}
