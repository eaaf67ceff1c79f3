import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { EXPLORE_SCRIPT_PATH, linkFrom, SCRIPT_PATH } from '../../domain/pages.ts';
import { type Html, html } from '../../views/html/html.ts';

const BUILT = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/' : './', import.meta.url);

/** The scripts of `dashboard/client`, as the build left them. */
const FILES = { [SCRIPT_PATH]: 'page-script.js', [EXPLORE_SCRIPT_PATH]: 'explore-script.js' } as const;

export type ScriptPath = keyof typeof FILES;

export const SCRIPT_PATHS = Object.keys(FILES) as ScriptPath[];

interface BuiltScript {
  readonly text: string;
  readonly gzipped: Buffer;
  /** Part of the script's address, so that a browser never uses the script of another version. */
  readonly version: string;
}

const read = new Map<ScriptPath, BuiltScript>();

export function builtScript(path: ScriptPath): BuiltScript {
  const known = read.get(path);
  if (known) return known;
  const text = readFileSync(new URL(FILES[path], BUILT), 'utf8');
  const version = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const script = { text, gzipped: gzipSync(text, { level: 9 }), version };
  read.set(path, script);
  return script;
}

/** `here` is the path of the page. The script runs after the content is there. */
export function scriptTag(here: string, path: ScriptPath): Html {
  return html`<script src="${linkFrom(here, path)}?${builtScript(path).version}" defer></script>\n`;
}
