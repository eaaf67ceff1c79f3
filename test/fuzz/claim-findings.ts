import { type Diagnostic, positionAt, renderDiagnostic } from '../../src/domain/diagnostic.ts';
import { claim, claimSame } from './target.ts';

/** Of more findings than anybody reads only the places are looked at. */
const SHOWN_MAX = 20;
/** Neither tabs nor line ends: those are laid out. */
const CONTROL = /(?![\t\n])\p{Cc}/u;

/** What has to hold of the findings about any text: in order, with places that are in the text, and words that are harmless. */
export function claimFindings(source: string, diagnostics: readonly Diagnostic[]): void {
  let last = 0;
  let told = 0;
  for (const diagnostic of diagnostics) {
    const { code, message, hint, span } = diagnostic;
    const { start, end } = span;
    claim(/^[A-Z][A-Z0-9_]*$/.test(code), () => `A code that is none: ${code}`);
    claim(message.trim() !== '' && hint !== '', () => `A finding without words: ${code}`);
    claim(start.offset >= last, () => `Findings out of order: ${code} at ${start.offset} after ${last}`);
    claim(end.offset >= start.offset, () => `A finding that ends before it begins: ${code}`);
    claim(
      end.offset <= source.length + 1,
      () => `A finding behind the text: ${code} to ${end.offset} of ${source.length}`,
    );
    last = start.offset;
    if (told > SHOWN_MAX) continue;
    told += 1;
    claimPlace(source, start.offset, start, code);
    claimPlace(source, end.offset, end, code);
    const shown = renderDiagnostic('file', source, diagnostic, 80);
    claim(!CONTROL.test(shown), () => `A finding with control characters: ${shown}`);
  }
}

/** Line and column are those of the offset; one past the end has no place of its own. */
function claimPlace(source: string, offset: number, found: { line: number; column: number }, code: string): void {
  if (offset > source.length) return;
  const { line, column } = positionAt(source, offset);
  claimSame(
    [found.line, found.column],
    [line, column],
    `Line and column of a finding are not those of its offset, ${code}`,
  );
}
