import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Diagnostic, positionAt, renderDiagnostic, spanAt } from '../../src/domain/diagnostic.ts';

function finding(source: string, found: string, more: Partial<Diagnostic> = {}): Diagnostic {
  const start = source.indexOf(found);
  const span = spanAt(source, start, start + found.length);
  return { code: 'SOME_CODE', severity: 'error', span, message: 'Something is wrong.', ...more };
}

const render = (source: string, found: string, more?: Partial<Diagnostic>) =>
  renderDiagnostic('queries/a.sql', source, finding(source, found, more));

describe('positions', () => {
  it.each([
    ['start at line 1, column 1', 'abc', 0, 1, 1],
    ['count columns from 1', 'abc', 2, 1, 3],
    ['begin a line after \\n', 'a\nb', 2, 2, 1],
    ['count \\r\\n as one line end', 'a\r\nb', 3, 2, 1],
    ['count a lone \\r as a line end', 'a\rb', 2, 2, 1],
    ['lie after the last character at the end', 'a\nbc', 4, 2, 3],
    ['count UTF-16 units', '😀x', 2, 1, 3],
  ])('%s', (_, source, offset, line, column) => {
    expect(positionAt(source, offset)).toEqual({ offset, line, column });
  });

  it('of a span never end before they start', () => {
    expect(spanAt('abc', 2, 1)).toEqual({ start: positionAt('abc', 2), end: positionAt('abc', 2) });
  });
});

describe('a finding in the terminal', () => {
  it('names the place, shows the line and points at the words', () => {
    const source = 'SELECT\n  metrics.clickz\nFROM campaign';
    const hint = 'Did you mean metrics.clicks?';
    expect(render(source, 'metrics.clickz', { hint })).toMatchInlineSnapshot(`
      "queries/a.sql:2:3: error: Something is wrong. [SOME_CODE]
        2 |   metrics.clickz
          |   ^^^^^^^^^^^^^^
        hint: Did you mean metrics.clicks?"
    `);
  });

  it('marks warnings, and omits a missing hint', () => {
    expect(render('abc def', 'def', { severity: 'warning' })).toMatchInlineSnapshot(`
      "queries/a.sql:1:5: warning: Something is wrong. [SOME_CODE]
        1 | abc def
          |     ^^^"
    `);
  });

  it('keeps tabs, so that the caret lines up in every terminal', () => {
    const lines = render('\tab\tfoo', 'foo').split('\n');
    expect(lines[1]).toBe('  1 | \tab\tfoo');
    expect(lines[2]).toBe('    | \t  \t^^^');
  });

  it('widens its margin with the line number', () => {
    expect(render(`${'\n'.repeat(99)}foo`, 'foo')).toMatchInlineSnapshot(`
      "queries/a.sql:100:1: error: Something is wrong. [SOME_CODE]
        100 | foo
            | ^^^"
    `);
  });

  it('underlines only the first of several lines', () => {
    expect(render('a (b\nc) d', '(b\nc)')).toMatchInlineSnapshot(`
      "queries/a.sql:1:3: error: Something is wrong. [SOME_CODE]
        1 | a (b
          |   ^^"
    `);
  });

  it('cuts a long line around the words', () => {
    const lines = render(`${'a'.repeat(500)}foo${'b'.repeat(500)}`, 'foo').split('\n');
    expect(lines[0]).toContain('queries/a.sql:1:501:');
    expect(lines[1]).toBe(`  1 | ${'a'.repeat(40)}foo${'b'.repeat(57)}`);
    expect(lines[2]).toBe(`    | ${' '.repeat(40)}^^^`);
  });

  it('cuts an underline that is longer than the line is shown', () => {
    const lines = render('x'.repeat(5_000), 'x'.repeat(5_000)).split('\n');
    expect(lines[2]).toBe(`    | ${'^'.repeat(100)}`);
  });

  it('points after the last character if something is missing there', () => {
    const source = 'SELECT a';
    const missing = { ...finding(source, 'a'), span: spanAt(source, 8, 9) };
    expect(renderDiagnostic('f', source, missing).split('\n')[2]).toBe('    |         ^');
  });

  it('shows an empty file', () => {
    expect(renderDiagnostic('f', '', { ...finding('', ''), span: spanAt('', 0, 1) })).toMatchInlineSnapshot(
      `"f:1:1: error: Something is wrong. [SOME_CODE]"`,
    );
  });

  it('shows control characters as dots, so that no file moves the cursor', () => {
    const text = render('a\u001b[31mb\u0007 foo\r\nnext', 'foo', {
      message: 'Found \u001b[2J and \u009b31m.',
      hint: 'Not \u0008 this.',
    });
    expect(text).toMatchInlineSnapshot(`
      "queries/a.sql:1:10: error: Found ·[2J and ·31m. [SOME_CODE]
        1 | a·[31mb· foo
          |          ^^^
        hint: Not · this."
    `);
  });

  it('consists of the line and the caret for any text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\r\n', '\t', '\u0000', '😀', '\u001b', 'é') });
    fc.assert(
      fc.property(text, fc.nat(40), fc.nat(20), (source, from, length) => {
        const offset = Math.min(from, source.length);
        const span = spanAt(source, offset, Math.min(offset + length, source.length));
        const lines = renderDiagnostic('f', source, { ...finding('', ''), span }).split('\n');
        // An empty file has no line to show.
        expect(lines).toHaveLength(source === '' ? 1 : 3);
        if (lines[2] === undefined) return;
        expect(lines[2]).toMatch(/^ +\| [\t ]*\^+$/);
      }),
    );
  });
});

describe('a hint', () => {
  it('wraps between words at the terminal width', () => {
    const text = renderDiagnostic('f', '', { ...finding('', ''), hint: 'One two three four five six.' }, 24);
    expect(text.split('\n').slice(1)).toEqual(['  hint: One two three', '        four five six.']);
  });
});

describe('a long text', () => {
  it('is searched once for all positions: one search per finding took hours for a megabyte', () => {
    const searches = vi.spyOn(String.prototype, 'matchAll');
    onTestFinished(() => searches.mockRestore());
    const source = 'mistake\n'.repeat(1_000);
    const places = Array.from({ length: 1_000 }, (_, line) => positionAt(source, line * 8 + 3));
    expect(places.filter(({ line, column }, index) => line !== index + 1 || column !== 4)).toEqual([]);
    expect(searches.mock.calls).toHaveLength(1);
  });
});
