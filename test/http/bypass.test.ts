import { describe, expect, it } from 'vitest';
import { isBypassed } from '../../src/http/http-client.ts';

const A = 'https://ads.example.com/v25';

describe('NO_PROXY', () => {
  it.each([
    ['a name is itself', A, 'ads.example.com', true],
    ['in any case', A, 'ADS.Example.com', true],
    ['a name is every name below it', A, 'example.com', true],
    ['as it is with a leading dot', A, '.example.com', true],
    ['and with a star', A, '*.example.com', true],
    ['but not a name that ends alike', 'https://badexample.com', 'example.com', false],
    ['a star is everything', A, '*', true],
    ['wherever it stands', A, 'localhost, *', true],
    ['one of several', A, 'localhost,example.com', true],
    ['separated by spaces', A, 'localhost example.com', true],
    ['nothing is nothing', A, '', false],
    ['commas alone are nothing', A, ' ,, ', false],
    ['a port narrows it', A, 'ads.example.com:8443', false],
    ['the usual port is one', A, 'ads.example.com:443', true],
    ['also without encryption', 'http://localhost/x', 'localhost:80', true],
    ['an address is itself', 'http://127.0.0.1:4010', '127.0.0.1', true],
    ['with its port', 'http://127.0.0.1:4010', '127.0.0.1:4010', true],
    ['an address of the sixth version', 'http://[::1]:4010', '::1', true],
    ['in brackets', 'http://[::1]:4010', '[::1]:4010', true],
    ['in brackets, on another port', 'http://[::1]:4010', '[::1]:80', false],
  ])('%s', (_, url, bypass, expected) => {
    expect(isBypassed(new URL(url), bypass)).toBe(expected);
  });
});
