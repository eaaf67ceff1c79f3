import { withoutIsolates } from '../domain/outside-text.ts';

/** Markup that is safe to write: whatever came from outside is escaped. Only {@link html} and {@link trusted} make it. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | bigint | undefined | false | readonly Part[];

/** HTML from a template. Texts are escaped, in content and in quoted attributes alike; lists are joined; nothing is nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: texts.map((text, index) => text + (index < parts.length ? markupOf(parts[index]) : '')).join('') };
}

/** Markup of our own making, such as a chart that a library drew. */
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

/**
 * Control characters have no place in HTML; what is not a character becomes the mark of one. Nor has what turns the direction
 * of all that follows: a name would have a whole sentence read backwards.
 */
function escapeHtml(text: string): string {
  return withoutIsolates(text)
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '·');
}
