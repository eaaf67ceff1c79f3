import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { isSignedByMessages, readMessagesWebhook } from '../../src/channels/messages/receive-webhooks.ts';
import { harmless } from '../../src/commands/cli/output.ts';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { createSessions } from '../../src/dashboard/server/log-in.ts';
import { shortLine, spreadsheetText } from '../../src/domain/outside-text.ts';
import { withoutFullStop } from '../../src/domain/wording.ts';
import { readReply } from '../../src/engine/answers/record-reply.ts';
import { patternFault } from '../../src/language/gaql/check/pattern-fault.ts';
import { checkQueryFile } from '../../src/language/gaql/query-file.ts';
import { isBypassed } from '../../src/services/http/http-client.ts';
import { maskBareNumbers } from '../../src/services/http/mask-numbers.ts';
import { readForm } from '../../src/services/http/received-request.ts';
import { createRedact } from '../../src/services/http/redact.ts';
import { retryAfterMs } from '../../src/services/http/retry.ts';
import { html } from '../../src/views/html/html.ts';
import { sliceFailures } from '../../src/views/report/describe-results.ts';
import { oneLine } from '../../src/views/text/text-layout.ts';

const LONG = 500_000;

/**
 * Texts of others, as long as an answer or a form may be, against what works on them. A way that begins anew at each character takes
 * hours for one of these, so that what comes of it is that the test ends by its time.
 */
const WORK: readonly (readonly [sentence: string, work: () => unknown])[] = [
  ['full stops before a letter, at the end of a message', () => withoutFullStop(`${'.'.repeat(LONG)}x`)],
  ['blanks before a letter', () => withoutFullStop(`${' '.repeat(LONG)}x`)],
  ['endless request references', () => sliceFailures([failed(' (request '.repeat(LONG / 10))])],
  ['blanks in a truncated name', () => shortLine(`${' \n'.repeat(LONG)}x`, 80)],
  ['one word in a truncated name', () => shortLine('x'.repeat(LONG), 80)],
  ['blanks in a line', () => oneLine(`${'\t '.repeat(LONG)}x`)],
  ['control characters', () => harmless('\u001b['.repeat(LONG))],
  ['markup', () => html`${'<"\u202e'.repeat(LONG)}`],
  [
    'line ends and zero-width characters in a cell',
    () => spreadsheetText(`${'\n\t'.repeat(LONG)}${'\u200b'.repeat(LONG)}x`),
  ],
  ['semicolons and blanks in a cell', () => spreadsheetText(`${'; '.repeat(LONG)}${' '.repeat(LONG)}x`)],
  [
    'digits that are not a number',
    () => maskBareNumbers(`${'+1 '.repeat(LONG / 10)}${'1'.repeat(LONG)}`, ['+4915112345678']),
  ],
  ['prefixes of a known number', () => maskBareNumbers('4 9 1 5 1 '.repeat(LONG / 10), ['+4915112345678'])],
  ['prefixes of a secret', () => createRedact([`${'a'.repeat(40)}b`])('a'.repeat(LONG))],
  [
    'escapes before the signs of a secret',
    () => createRedact(['\\"\\\\"&<'])(`${'\\'.repeat(LONG / 10)}${'&amp;'.repeat(LONG / 10)}`),
  ],
  ['Base64 without a whole secret', () => createRedact(['password'])(`${'cGFzc3'.repeat(LONG)}`)],
  ['Base64 full of a secret', () => createRedact(['password'])(`${'cGFzc3dvcmQ'.repeat(LONG)} `.repeat(2))],
  ['a pause of half a million digits', () => retryAfterMs({ 'retry-after': '9'.repeat(LONG) })],
  [
    'a pause that is nearly a date',
    () => retryAfterMs({ 'retry-after': `Fri, ${' 1:11'.repeat(LONG / 5)}`, date: 'x' }),
  ],
  ['an answer of one word', () => readReply('YES '.repeat(LONG))],
  ['an answer of invisible marks', () => readReply('\u200b\u0301'.repeat(LONG))],
  ['a cookie', () => createSessions(() => 0).find(`${'a.'.repeat(LONG)}x`, [])],
  ['a field of half a million parts', () => checkQuery(`SELECT campaign${'.labels'.repeat(LONG)} FROM campaign`)],
  ['half a million queries in queries', () => checkQuery(`SELECT a.b FROM a WHERE a.b IN ${'(SELECT '.repeat(LONG)}`)],
  ['half a million parts of fields', () => checkQuery(`SELECT ${'a.b:c.d '.repeat(LONG / 10)}FROM a`)],
  ['half a million colons in a word', () => checkQuery(`SELECT a.b${'c:'.repeat(LONG)} FROM a`)],
  ['names in NO_PROXY', () => isBypassed(new URL('https://a.example'), '[:'.repeat(LONG))],
];

const checkQuery = (text: string) => checkQueryFile('a_query', text, { catalogue: loadCatalogue('v25'), patternFault });
const failed = (failure: string) => ({ ...SLICE, failure });
const SLICE = { query: 'q', customerId: '1', rows: 0 } as unknown as Parameters<typeof sliceFailures>[0][number];

describe('a text made to be slow', () => {
  it.each(WORK)('is read in one pass: %s', (_, work) => {
    expect(() => work()).not.toThrow();
  });

  it('a form of tens of thousands of names is read once before the sender is known', () => {
    const { fields } = readForm(
      Buffer.from(Array.from({ length: 20_000 }, (_, index) => index.toString(36)).join('&')),
    );
    let searches = 0;
    const counted = new Proxy(fields, {
      get(target, name) {
        if (name === 'get' || name === 'getAll' || name === 'has') searches += 1;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    expect(isSignedByMessages('wrong', 'password', 'https://example.com/', counted)).toBe(false);
    expect(readMessagesWebhook(counted).kind).toBe('other');
    // Each of the few fields that mean something is looked for once.
    expect(searches).toBeLessThan(10);
  });
});

/** Expressions with a repetition inside a repetition, the shape that takes exponentially long, and why these do not. */
const ARGUED: readonly (readonly [start: string, because: string])[] = [
  ['/[\\w.]*(?:[\\u0080-', 'each round begins with a letter that the rest of a round cannot have'],
  ['/`[^`\\r\\n]*`(?:\\.`', 'each round begins with a full stop and a backtick, and no round holds one inside'],
  ['/^(?:\\*(?:\\/\\d+)?|\\w+', 'each round begins with a comma, which no round holds'],
];

describe('the regular expressions of the program', () => {
  it('have no nested repetition, except with a reason', () => {
    const files = sourceFiles('src');
    expect(files.length).toBeGreaterThan(500);
    const found = [...new Set(files.flatMap(expressionsOf))].filter(repeatsARepetition);
    expect(found.filter((text) => !ARGUED.some(([start]) => text.startsWith(start)))).toEqual([]);
    expect(ARGUED.filter(([start]) => !found.some((text) => text.startsWith(start)))).toEqual([]);
  });

  it.each(['/(a+)+b/', '/((x|y*)z)*/', '/(?:[^"]*,)*$/', '/(\\s*a){2,}/'])('are searched for %s', (text) => {
    expect(repeatsARepetition(text)).toBe(true);
  });

  it.each(['/(a+)?b/', '/[(a+)+]/', '/\\(a+\\)+/', '/(abc)+/', '/(a+){2}/'])('are not confused with %s', (text) => {
    expect(repeatsARepetition(text)).toBe(false);
  });
});

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sourceFiles(path) : path.endsWith('.ts') ? [path] : [];
  });
}

function expressionsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  // To read every file as a program takes seconds; most have no group that is repeated.
  if (!/\)(?:[*+]|\{\d+,\})/.test(text)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

/** Whether a group that holds an unbounded repetition is itself repeated without a bound. */
function repeatsARepetition(text: string): boolean {
  const open = [false];
  for (let at = 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '\\') at += 1;
    else if (sign === '[') while (text.charAt(at) !== ']') at += text.charAt(at) === '\\' ? 2 : 1;
    else if (sign === '(') open.push(false);
    else if (sign === ')') {
      const inside = open.pop() ?? false;
      if (inside && isUnbounded(text.slice(at + 1))) return true;
      if (inside) open[open.length - 1] = true;
    } else if (isUnbounded(text.slice(at)) && !/[(]$/.test(text.slice(0, at))) open[open.length - 1] = true;
  }
  return false;
}

function isUnbounded(rest: string): boolean {
  return /^(?:[*+]|\{\d+,\})/.test(rest);
}
