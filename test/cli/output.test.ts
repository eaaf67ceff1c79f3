import { describe, expect, it } from 'vitest';
import { columnsOf, textLayout } from '../../src/commands/cli/output.ts';

const stream = (isTTY: boolean, columns?: number) => ({ write: () => undefined, isTTY, columns });
const width = (stdout: ReturnType<typeof stream>, columns?: number) =>
  textLayout({ stdout, stderr: stdout, noColor: true, columns }).width;

describe('the width of text', () => {
  it('is the terminal’s, else COLUMNS, else 100', () => {
    expect(width(stream(true, 132), 90)).toBe(132);
    expect(width(stream(false), 140)).toBe(140);
    expect(width(stream(false))).toBe(100);
    expect(width(stream(false), 10)).toBe(60);
  });

  it.each([
    ['140', 140],
    ['', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['wide', undefined],
    [undefined, undefined],
  ])('with COLUMNS=%s is %s', (text, expected) => {
    expect(columnsOf(text)).toBe(expected);
  });
});
