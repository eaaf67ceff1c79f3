import { withoutIsolates } from '../../domain/outside-text.ts';

/** Only {@link html} and {@link trusted} create this type. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | bigint | undefined | false | readonly Part[];

/** Escapes texts. Omits undefined and false. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: texts.map((text, index) => text + (index < parts.length ? markupOf(parts[index]) : '')).join('') };
}

/** Only for our own markup, such as a chart from a library. */
export function trusted(markup: string): Html {
  return { markup };
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(markupOf).join('');
  return escapeHtml(String(part));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A direction override in a name could reverse a whole sentence. */
function escapeHtml(text: string): string {
  return withoutIsolates(text)
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '·');
}
