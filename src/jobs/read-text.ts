import { readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { SOURCE_SIZE_MAX } from '../gaql/query-file.ts';

export type TextReading =
  | { readonly kind: 'ok'; readonly source: string }
  | { readonly kind: 'refused'; readonly reason: string };

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A file's text. A byte order mark is no part of it: columns count without it. */
export function readText(path: string): TextReading {
  const refuse = (reason: string): TextReading => ({ kind: 'refused', reason });
  try {
    const found = statSync(path);
    if (found.isDirectory())
      return refuse('This is a folder, expected a file: name its files, or give it with --queries.');
    // A pipe or a device may never end.
    if (!found.isFile()) return refuse('This is neither a file nor a folder.');
    const { size } = found;
    if (size > SOURCE_SIZE_MAX) return refuse(`The file has ${size} bytes, the most is ${SOURCE_SIZE_MAX}.`);
    const bytes = readFileSync(path);
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return refuse('The file is text in UTF-16, expected UTF-8.');
    return { kind: 'ok', source: UTF8.decode(bytes) };
  } catch (cause) {
    const code = (cause as { code?: unknown }).code;
    if (code === 'ENOENT') return refuse('There is no such file.');
    if (code === 'EACCES') return refuse('The file may not be read.');
    if (cause instanceof TypeError) return refuse('The file is not text in UTF-8.');
    return refuse(`The file cannot be read: ${cause instanceof Error ? cause.message : cause}.`);
  }
}

/** Relative to the working folder when it lies inside. */
export function shownPath(path: string): string {
  const short = relative('', path);
  return short.startsWith('..') || short === '' ? path : short;
}
