import { describe, expect, it } from 'vitest';
import { isMessagingAddress } from '../../src/domain/messaging-address.ts';

describe('addresses of messages', () => {
  it.each(['whatsapp:+4915112345678', 'sms:+15550001', 'x1:+123456789012345'])('C2: %s is one', (text) => {
    expect(isMessagingAddress(text)).toBe(true);
  });

  it.each([
    ['no channel', '+4915112345678'],
    ['an empty channel', ':+4915112345678'],
    ['no plus', 'whatsapp:4915112345678'],
    ['a country code of zero', 'whatsapp:+0915112345678'],
    ['spaces', 'whatsapp:+49 151 12345678'],
    ['too few digits', 'whatsapp:+123456'],
    ['too many digits', 'whatsapp:+1234567890123456'],
    ['capitals', 'WhatsApp:+4915112345678'],
    ['a line break', 'whatsapp:+4915112345678\n'],
  ])('C2: %s is none', (_, text) => {
    expect(isMessagingAddress(text)).toBe(false);
  });
});
