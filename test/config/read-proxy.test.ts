import { describe, expect, it } from 'vitest';
import { ADS, live, problemsOf, read } from './settings-reader.ts';

const PROXY = 'http://proxy.example.com:3128';

describe('proxies', () => {
  it('are not set by default', () => {
    expect(live(ADS).proxy).toBeUndefined();
    expect(live({ ...ADS, NO_PROXY: '*' }).proxy).toBeUndefined();
    expect(live({ ...ADS, HTTPS_PROXY: ' ' }).proxy).toBeUndefined();
  });

  it('are read from the environment, for each kind of address', () => {
    const env = { ...ADS, HTTPS_PROXY: PROXY, HTTP_PROXY: 'http://a:8080', NO_PROXY: 'localhost, .example.com' };
    expect(live(env).proxy).toEqual({
      https: `${PROXY}/`,
      http: 'http://a:8080/',
      bypass: 'localhost, .example.com',
    });
  });

  it('prefer the lower-case name', () => {
    const env = { ...ADS, https_proxy: 'http://small:1', HTTPS_PROXY: 'http://large:1', no_proxy: 'a', NO_PROXY: 'b' };
    expect(live(env).proxy).toEqual({ https: 'http://small:1/', http: undefined, bypass: 'a' });
  });

  it.each([
    ['proxy.example.com:3128', `${PROXY}/`],
    ['https://proxy.example.com', 'https://proxy.example.com/'],
    ['http://a%40b:c%2Fd@proxy.example.com:3128', 'http://a%40b:c%2Fd@proxy.example.com:3128/'],
    ['http://[::1]:3128', 'http://[::1]:3128/'],
  ])('may be written as %s', (text, expected) => {
    expect(live({ ...ADS, HTTPS_PROXY: text }).proxy?.https).toBe(expected);
  });

  it.each([
    ['no address', 'http://'],
    ['an invalid port', 'http://proxy:port'],
    ['another kind of proxy', 'socks5://S3Cret-user:S3Cret-word@proxy:1080'],
    ['a user alone', 'http://S3Cret-user@proxy:3128'],
    ['a path', 'http://S3Cret-user:S3Cret-word@proxy:3128/S3Cret'],
    ['a query', 'http://proxy:3128/?S3Cret'],
    ['a broken escape', 'http://S3Cret:%zz@proxy:3128'],
    ['a space', 'http://S3Cret word@proxy:3128:'],
  ])('are refused with %s, by name and without their value', (_, text) => {
    for (const name of ['HTTPS_PROXY', 'http_proxy']) {
      const problems = problemsOf({ ...ADS, [name]: text });
      expect(problems).toEqual([
        expect.stringMatching(new RegExp(`^Found text for ${name}, expected the address of a proxy`)),
      ]);
      expect(problems.join()).not.toContain('S3Cret');
    }
  });

  it.each(['http://user:password@proxy:port', 'http://user@proxy:3128'])(
    'are refused without an example that redaction of %s could damage',
    (text) => expect(problemsOf({ ...ADS, HTTPS_PROXY: text }).join()).not.toMatch(/user|password|redacted/),
  );

  it('are neither used nor checked for the sandbox', () => {
    expect(read({ HTTPS_PROXY: PROXY }).proxy).toBeUndefined();
    expect(read({ HTTPS_PROXY: 'socks5://x' }).proxy).toBeUndefined();
  });

  it('have secret users and passwords, both encoded and decoded', () => {
    const env = { HTTPS_PROXY: 'http://agent:pass%2Fword@proxy:1', http_proxy: 'plain:word-2@proxy:2' };
    expect(new Set(live({ ...ADS, ...env }).secrets)).toEqual(
      new Set(['ya29.secret', 'agent', 'pass%2Fword', 'pass/word', 'plain', 'word-2']),
    );
  });
});

describe('timeouts', () => {
  it('are set in part or as a whole, for both targets', () => {
    const config = 'ads: { timeouts: { connect_ms: 5, body_idle_ms: 7 } }';
    const expected = { connectMs: 5, headersMs: 120_000, bodyIdleMs: 7 };
    expect(live(ADS, config).ads.timeouts).toEqual(expected);
    expect(read({}, config)).toMatchObject({ ads: { timeouts: expected }, notes: [] });
  });
});

describe('excluded accounts', () => {
  it('B8: are read from the environment, otherwise the file, without dashes', () => {
    const config = 'ads: { exclude_customer_ids: [123-456-7890] }';
    expect(live(ADS, config).ads.excludeCustomerIds).toEqual(['1234567890']);
    expect(live({ ...ADS, ADS_EXCLUDE_CUSTOMER_IDS: '1, 2-3' }, config).ads.excludeCustomerIds).toEqual(['1', '23']);
    expect(problemsOf({ ...ADS, ADS_EXCLUDE_CUSTOMER_IDS: 'x' })).toEqual([
      'Found "x" for ADS_EXCLUDE_CUSTOMER_IDS, expected a customer id: digits, dashes allowed, no parentheses.',
    ]);
  });
});
