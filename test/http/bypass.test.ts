import { describe, expect, it } from 'vitest';
import { isBypassed } from '../../src/services/http/http-client.ts';

const A = 'https://ads.example.com/v25';

describe('NO_PROXY', () => {
  it.each([
    ['a name matches itself', A, 'ads.example.com', true],
    ['letter case does not matter', A, 'ADS.Example.com', true],
    ['a name matches every subdomain', A, 'example.com', true],
    ['a leading dot is allowed', A, '.example.com', true],
    ['a leading star is allowed', A, '*.example.com', true],
    ['a name with the same ending does not match', 'https://badexample.com', 'example.com', false],
    ['a star matches everything', A, '*', true],
    ['a star works at any position', A, 'localhost, *', true],
    ['one of several names matches', A, 'localhost,example.com', true],
    ['spaces separate names', A, 'localhost example.com', true],
    ['an empty list matches nothing', A, '', false],
    ['commas alone match nothing', A, ' ,, ', false],
    ['a port narrows it', A, 'ads.example.com:8443', false],
    ['the default port matches', A, 'ads.example.com:443', true],
    ['the default port of http matches', 'http://localhost/x', 'localhost:80', true],
    ['an IP address matches itself', 'http://127.0.0.1:4010', '127.0.0.1', true],
    ['an IP address with its port matches', 'http://127.0.0.1:4010', '127.0.0.1:4010', true],
    ['an IPv6 address matches', 'http://[::1]:4010', '::1', true],
    ['an IPv6 address in brackets matches', 'http://[::1]:4010', '[::1]:4010', true],
    ['an IPv6 address on another port does not match', 'http://[::1]:4010', '[::1]:80', false],
  ])('%s', (_, url, bypass, expected) => {
    expect(isBypassed(new URL(url), bypass)).toBe(expected);
  });
});
