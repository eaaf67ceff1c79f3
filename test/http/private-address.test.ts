import { expect, it } from 'vitest';
import { isLoopbackAddress, isPrivateAddress } from '../../src/services/http/private-address.ts';

it.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'ff02::1',
  '2001:db8::1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '::7f00:1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '::ffff:0:8.8.8.8',
  '64:ff9b:1::1',
  '2001::1',
  'fec0::1',
  '3fff::1',
  '100::1',
  'fe80::1%eth0',
  '',
  'localhost',
  '10.0.0',
  '2130706433',
  '0x8.8.8.8',
  '8.8.8.8 ',
])('%j is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

it.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
  '%s is not private',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  },
);

it.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['localhost', false],
])('%s is loopback: %s', (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
