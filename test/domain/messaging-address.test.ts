import { describe, expect, it } from 'vitest';
import { maskRecipient } from '../../src/domain/channel.ts';
import { isMessagingAddress, numberOf } from '../../src/domain/messaging-address.ts';

describe('addresses of messages', () => {
  it.each(['whatsapp:+4915112345678', 'sms:+15550100001', 'x1:+2905123'])('C2: accepts %s', (text) => {
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
    ['fewer digits than its country has', 'sms:+15550001'],
    ['an unassigned country code', 'sms:+999123456789'],
    ['capitals', 'WhatsApp:+4915112345678'],
    ['a line break', 'whatsapp:+4915112345678\n'],
  ])('C2: refuses %s', (_, text) => {
    expect(isMessagingAddress(text)).toBe(false);
  });
});

describe('the number of an address', () => {
  it.each(['whatsapp:+4915112345678', '+4915112345678', '4915112345678'])('is the same in %s', (address) => {
    expect(numberOf(address)).toBe('+4915112345678');
  });

  it.each([
    ['text after it', 'whatsapp:+4915112345678;x'],
    ['a plus within it', 'a+b:+4915112345678'],
    ['two pluses', '++4915112345678'],
    ['an unknown channel before it', 'to +4915112345678'],
    ['spaces', '+49 151 12345678'],
    ['a channel and no plus', 'whatsapp:4915112345678'],
    ['digits of another script', '٤٩١٥١١٢٣٤٥٦٧٨'],
    ['a name', 'client:anna'],
    ['nothing', ''],
  ])('does not exist if the address has %s', (_, address) => {
    expect(numberOf(address)).toBeUndefined();
  });
});

describe('a recipient shown to people', () => {
  it.each([
    ['whatsapp:+4915112345678', 'whatsapp:+49…78'],
    ['sms:+15550100002', 'sms:+15…02'],
    ['+4915112345678', '+49…78'],
    ['not a number', 'not a number'],
  ])('%s is masked as %s', (recipient, masked) => {
    expect(maskRecipient(recipient)).toBe(masked);
  });
});
