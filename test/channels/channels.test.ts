import { expect, it } from 'vitest';
import {
  CHANNEL_NAMES,
  channelNamed,
  knownChannel,
  maskAddress,
  unusableChannel,
} from '../../src/channels/channels.ts';

it.each([
  ['messages', 'whatsapp:+4915112345678', 'whatsapp:+49…78'],
  ['messages', '4915112345678', 'messages:+49…78'],
  ['graph', '4915112345678', 'graph:+49…78'],
  ['graph', '+4915112345678', '+49…78'],
  ['pigeon', 'loft 7, +4915112345678', '(hidden)'],
])('an address of %s is shown without the number', (channel, address, shown) => {
  expect(maskAddress(channel, address)).toBe(shown);
});

it('a channel that the program does not have is refused before it is written, and explained when it is read', () => {
  expect(channelNamed('pigeon')).toBeUndefined();
  expect(() => knownChannel('pigeon')).toThrow(`expected one of ${CHANNEL_NAMES.join(', ')}`);
  expect(unusableChannel('pigeon')).toBe('This version of pacekeeper has no channel pigeon.');
});
