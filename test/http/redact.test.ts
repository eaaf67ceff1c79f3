import { describe, expect, it } from 'vitest';
import { createRedact } from '../../src/services/http/redact.ts';

const SECRET = 'S3cr&t/pass word+!~(1)';
const redact = createRedact([SECRET]);

describe('a secret in a text from outside', () => {
  it.each([
    ['as it is', `password ${SECRET} is wrong`, 'password [redacted] is wrong'],
    ['several times', `${SECRET}${SECRET} ${SECRET}`, '[redacted][redacted] [redacted]'],
    ['percent-encoded', `?token=${encodeURIComponent(SECRET)}&a=1`, '?token=[redacted]&a=1'],
    ['form-encoded', `${new URLSearchParams({ password: SECRET, a: '1' })}`, 'password=[redacted]&a=1'],
    ['in Base64', `key ${Buffer.from(SECRET).toString('base64')}.`, 'key [redacted].'],
  ])('is replaced %s', (_, text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it.each(['u', 'us', 'use', 'AC00000000000000000000000000005a4d'])(
    'is replaced in the Basic header of the user name %s',
    (username) => {
      const header = Buffer.from(`${username}:${SECRET}`).toString('base64');
      const redacted = redact(`Found "Basic ${header}".`);
      expect(redacted).toMatch(/^Found "Basic [\w+/]*\[redacted\][\w+/]?=*"\.$/);
      const left = redacted.replace(/^Found "Basic |\[redacted\].*$/g, '');
      expect(Buffer.from(left, 'base64').toString()).not.toContain(SECRET.slice(0, 2));
    },
  );

  it('leaves every other text as it is', () => {
    const text = 'S3cr&t/pass worD, cGFzc3dvcmQ=, {"password":null}';
    expect(redact(text)).toBe(text);
  });

  it('is replaced completely even if a shorter secret begins it', () => {
    expect(createRedact(['token', 'token-of-the-manager'])('token-of-the-manager, token')).toBe(
      '[redacted], [redacted]',
    );
  });

  it('is not redacted if it is short enough to match ordinary words', () => {
    expect(createRedact(['', 'a', 'abc', 'abcd'])('abc abcd')).toBe('abc [redacted]');
  });

  it('is matched literally, not as a pattern', () => {
    expect(createRedact(['a.c$&(', '....'])('abcd a.c$&( abxd')).toBe('abcd [redacted] abxd');
  });
});

describe('a fetched token', () => {
  const token = (number: number) => `token-of-hour-${number}.`;
  const learnt = (count: number, of: readonly string[] = []) => {
    const known = createRedact(of);
    for (let number = 0; number < count; number++) known.learn(token(number), 'ads_token');
    return known;
  };

  it('is redacted from then on, as are the tokens shortly before it', () => {
    const known = learnt(16);
    expect(known(`${token(0)} ${token(15)}`)).toBe('[redacted] [redacted]');
  });

  it('is forgotten after sixteen newer tokens: it is useless by then', () => {
    const known = learnt(17);
    expect(known(`${token(0)} ${token(1)}`)).toBe(`${token(0)} [redacted]`);
  });

  it('counts as new each time it appears', () => {
    const known = learnt(16);
    known.learn(token(0), 'ads_token');
    known.learn(token(16), 'ads_token');
    expect(known(`${token(0)} ${token(1)}`)).toBe(`[redacted] ${token(1)}`);
  });

  it('does not affect tokens of another source', () => {
    const known = learnt(16);
    for (let number = 100; number < 200; number++) known.learn(token(number), 'container_token');
    expect(known(`${token(0)} ${token(199)}`)).toBe('[redacted] [redacted]');
  });

  it.each([
    ['in the settings', learnt(99, [token(0)])],
    [
      'learned permanently',
      (() => {
        const known = createRedact([]);
        known.learn(token(0));
        for (let number = 0; number < 99; number++) known.learn(token(number), 'ads_token');
        return known;
      })(),
    ],
  ])('is never forgotten if it is also %s', (_, known) => {
    expect(known(`${token(0)} ${token(1)}`)).toBe(`[redacted] ${token(1)}`);
  });
});
