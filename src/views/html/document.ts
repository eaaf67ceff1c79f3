import { type Frozen, frozenLines } from '../../domain/frozen.ts';
import { foldingRules } from './folding.ts';
import { type Html, html, trusted } from './html.ts';
import { styleSheet } from './style-sheet.ts';

export interface PageDocument {
  readonly title: string;
  readonly description?: string;
  /** Stands above the content: navigation. */
  readonly shell?: Html;
  readonly head?: Html;
  readonly frozen?: Frozen | undefined;
  /** True for a page that loads scripts and data from its own server. */
  readonly hasScript?: boolean;
  readonly body: Html;
}

/** A page without inline scripts. The page's security policy blocks them even if a text was not escaped. */
export function document({ title, description, shell, head, frozen, hasScript = false, body }: PageDocument): string {
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}${hasScript && SCRIPT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
${description !== undefined && html`<meta name="description" content="${description}">\n`}<link rel="icon" href="data:,">
<style>${trusted(`${styleSheet()}\n${foldingRules(body.markup)}`)}</style>
${head}</head>
<body${shell !== undefined && html` class="app"`}>
<a class="skip" href="#content">Skip to content</a>
${shell}<main id="content">
${frozenLines(frozen).map((line) => html`<p class="notice serious"><strong>${line}</strong></p>\n`)}${body}
</main>
</body>
</html>
`;
  return page.markup;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'";

export const SCRIPT_POLICY = "; script-src 'self'; connect-src 'self'";
