import { escapeHtml } from '../../domain/outside-text.ts';

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
