import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../src/config/read-settings.ts';
import { redactTexts } from '../../src/engine/redact-texts.ts';

const settings = settingsFrom('/nowhere', {}, { MESSAGES_PASSWORD: 'a-password' }, '');

describe('the facts of a page', () => {
  it('lose secrets and phone numbers in lists, sets and maps; other values stay unchanged', () => {
    const day = new Date(0);
    const facts = {
      day,
      count: 3n,
      none: undefined,
      names: new Map([['of a-password', ['+4915112345678']]]),
      set: new Set(['a-password', '\u0000+49151', '12345678', '']),
    };
    expect(redactTexts(facts, settings)).toEqual({
      day,
      count: 3n,
      none: undefined,
      names: new Map([['of [redacted]', ['+49…78']]]),
      set: new Set(['[redacted]', '·+49151', '12345678', '']),
    });
  });
});
