import { type Frozen, frozenLines } from '../domain/frozen.ts';
import { type Html, html, trusted } from './html.ts';
import { styleSheet } from './style.ts';

/** A page. `nav` is what stands in its navigation, such as a list of links; `head` what else belongs into its head. */
export interface PageDocument {
  readonly title: string;
  readonly description?: string;
  readonly nav?: Html;
  readonly head?: Html;
  /** Why no budget is changed now. */
  readonly frozen?: Frozen | undefined;
  /** The content, from the h1 on. */
  readonly body: Html;
}

/**
 * A whole HTML document in one text. It needs nothing from anywhere and has no script, and its policy tells the browser
 * so: were something that came from outside ever written unescaped, it would still neither run nor call home.
 */
export function document({ title, description, nav, head, frozen, body }: PageDocument): string {
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
${description !== undefined && html`<meta name="description" content="${description}">\n`}<link rel="icon" href="data:,">
<style>${trusted(styleSheet())}</style>
${head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${nav !== undefined && html`<header class="site"><nav aria-label="Pages">${nav}</nav></header>\n`}<main id="content">
${frozenLines(frozen).map((line) => html`<p class="notice serious"><strong>${line}</strong></p>\n`)}${body}
</main>
</body>
</html>
`;
  return page.markup;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'";
