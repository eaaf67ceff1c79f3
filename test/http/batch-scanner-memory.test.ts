import { describe, expect, it } from 'vitest';
import { BatchScanner } from '../../src/services/http/batch-scanner.ts';
import { isThorough } from '../support/effort.ts';

const MIB = 1024 * 1024;

describe('memory stays bounded', () => {
  it.each([
    ['a row', '[{"results":[{"a":"'],
    ['a row after others', '[{"results":[{"a":1},{"a":"'],
    ['the rest of a batch', '[{"results":[],"fieldMask":"'],
    // White space is read byte by byte, so this takes seconds.
    ...(isThorough ? [['white space between rows', '[{"results":[{"a":1}']] : []),
  ])('for any length: %s larger than 64 MiB is refused', (_, start) => {
    const scanner = new BatchScanner();
    scanner.push(Buffer.from(start));
    const filler = Buffer.alloc(8 * MIB, ' ');
    for (let pushed = 0; pushed < 7; pushed++) scanner.push(filler);
    expect(() => scanner.push(filler)).toThrow(/larger than 67,108,864 bytes/);
  });

  it('for any length: a row with white space of more than 64 MiB is refused', () => {
    const scanner = new BatchScanner();
    scanner.push(Buffer.from('[{"results":[{"a":"'));
    for (let pushed = 0; pushed < 7; pushed++) scanner.push(Buffer.alloc(9 * MIB, ' '));
    const space = Buffer.alloc(MIB / 2, ' ');
    scanner.push(Buffer.from('"}'));
    scanner.push(space);
    expect(() => scanner.push(space)).toThrow(/larger than 67,108,864 bytes/);
  });
});
