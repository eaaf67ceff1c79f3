import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const PAGE = 'docs/benchmarks.md';
/** Begins the part about checking; what stands before it is the part about extraction. */
export const CHECK_HEADING = '## Checking queries';

/** Puts one part of docs/benchmarks.md in the place of its earlier self; the other part stays as it is. */
export function writePart(part: 'extraction' | 'check', text: string): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  const heading = page.indexOf(`${CHECK_HEADING}\n`);
  const end = heading === -1 ? page.length : heading;
  const parts = { extraction: page.slice(0, end), check: page.slice(end), [part]: text };
  const written = [parts.extraction, parts.check].map((own) => own.trim()).filter((own) => own !== '');
  writeFileSync(PAGE, `${written.join('\n\n')}\n`);
}
