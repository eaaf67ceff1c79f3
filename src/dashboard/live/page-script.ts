import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const BUILT = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/page-script.js' : './page-script.js',
  import.meta.url,
);

interface PageScript {
  readonly text: string;
  /** Part of the script's address, so that a browser never uses the script of another version. */
  readonly version: string;
}

let read: PageScript | undefined;

/** The script of `dashboard/client`, as the build left it. */
export function pageScript(): PageScript {
  if (read === undefined) {
    const text = readFileSync(BUILT, 'utf8');
    read = { text, version: createHash('sha256').update(text).digest('hex').slice(0, 12) };
  }
  return read;
}
