import { describe, expect, it } from 'vitest';
import { renderJson } from '../../src/commands/check/run-check.ts';
import { createJsonLog, createLog } from '../../src/commands/cli/open-log.ts';
import { tellError } from '../../src/commands/cli/print-error.ts';
import { type Diagnostic, renderDiagnostic, spanAt } from '../../src/domain/diagnostic.ts';
import { text } from '../../src/storage/columns/column.ts';
import { csvText, ndjsonText } from '../../src/views/kit/rows.ts';
import { sheetOf } from '../../src/views/kit/sheet.ts';
import { terminalTable } from '../../src/views/kit/terminal.ts';
import { oneLine } from '../../src/views/text/text-layout.ts';
import { toJson } from '../../src/views/text/to-json.ts';
import { fakeClock } from '../support/fake-time.ts';
import { NOON } from '../support/world.ts';

/** Clears the screen, sets the title, rings, returns to the line's beginning, answers for the terminal, and turns what follows. */
const HOSTILE = 'A\u001b[2J\u001b]0;owned\u0007\r\u009b31m\u202eegnahc\u2066\u200f\u061c\u0000';
const OBEYED = /[^\P{Cc}\n]|\p{Bidi_Control}/u;

const sheetWith = (name: string) =>
  sheetOf(
    [
      text('name', 'The name.', () => name, { title: 'Name' }),
      text('why', 'Why.', () => name, { title: 'Why', long: true }),
    ],
    [{}],
    'people',
  );

const findingsOf = (file: string) => ({
  path: file,
  file,
  source: '',
  diagnostics: [],
  query: undefined,
  rule: undefined,
});

const findingIn = (text: string): Diagnostic => ({
  code: 'BAD_SYMBOL',
  severity: 'error',
  span: spanAt(text, 0, 1),
  message: text,
  hint: text,
});

describe('a name with terminal codes', () => {
  it.each<[sentence: string, shown: (name: string) => string]>([
    ['a line of a report', oneLine],
    ['a listing in the terminal', (name) => terminalTable(sheetWith(name), { width: 80, bold: (one) => one })],
    ['a listing as CSV', (name) => csvText(sheetWith(name)).replaceAll('\r\n', '\n')],
    ['a listing as NDJSON', (name) => ndjsonText(sheetWith(name))],
    ['an answer as JSON', (name) => toJson({ name, [name]: [name] })],
    ['a finding and its line', (name) => renderDiagnostic(name, name, findingIn(name))],
    ['the findings of a check as JSON', (name) => renderJson([findingsOf(name)])],
  ])('sends no terminal code in %s', (_, shown) => {
    expect(shown(HOSTILE)).not.toMatch(OBEYED);
  });

  it.each([
    ['a listing as NDJSON', (name: string) => ndjsonText(sheetWith(name))],
    ['an answer as JSON', (name: string) => toJson({ name, why: name })],
  ])('is unchanged for a program that reads %s', (_, written) => {
    expect(JSON.parse(written(HOSTILE))).toEqual({ name: HOSTILE, why: HOSTILE });
  });

  it('sends no terminal code in an error as a JSON line', () => {
    let written = '';
    const stderr = {
      write: (text: string) => {
        written += text;
      },
    };
    tellError({ stderr }, { logFormat: 'json', nowMs: 0 }, { message: HOSTILE });
    expect(written).not.toMatch(OBEYED);
    expect(JSON.parse(written)).toMatchObject({ level: 'error', msg: HOSTILE });
  });

  it('sends no terminal code in the log, as text or JSON, and each entry stays on one line', async () => {
    let written = '';
    const stream = {
      write: (text: string) => {
        written += text;
      },
    };
    createLog({ stdout: stream, stderr: stream, noColor: true }, (text) => text).warn(HOSTILE);
    const log = await createJsonLog(stream, (text) => text, fakeClock(NOON));
    log.warn(`${HOSTILE}\n{"level":"info","msg":"forged"}`);
    expect(written).not.toMatch(OBEYED);
    expect(written.split('\n')).toHaveLength(3);
    expect(JSON.parse(written.split('\n')[1] ?? '')).toMatchObject({ level: 'warn' });
  });
});
