import { describe, expect, it } from 'vitest';
import { createRedact } from '../../src/http/redact.ts';

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

  it('is replaced whole when a shorter secret begins it', () => {
    expect(createRedact(['token', 'token-of-the-manager'])('token-of-the-manager, token')).toBe(
      '[redacted], [redacted]',
    );
  });

  it('is not looked for when it is so short that it would blacken ordinary words', () => {
    expect(createRedact(['', 'a', 'abc', 'abcd'])('abc abcd')).toBe('abc [redacted]');
  });

  it('is taken literally, whatever a pattern would make of it', () => {
    expect(createRedact(['a.c$&(', '....'])('abcd a.c$&( abxd')).toBe('abcd [redacted] abxd');
  });
});

describe('a token that was fetched', () => {
  const token = (number: number) => `token-of-hour-${number}.`;
  const learnt = (count: number, of: readonly string[] = []) => {
    const known = createRedact(of);
    for (let number = 0; number < count; number++) known.learn(token(number), 'ads_token');
    return known;
  };

  it('is hidden from then on, and so are those shortly before it', () => {
    const known = learnt(16);
    expect(known(`${token(0)} ${token(15)}`)).toBe('[redacted] [redacted]');
  });

  it('is forgotten once sixteen others came after it: it is worth nothing, and every text would be searched for it', () => {
    const known = learnt(17);
    expect(known(`${token(0)} ${token(1)}`)).toBe(`${token(0)} [redacted]`);
  });

  it('is as new as when it came the last time', () => {
    const known = learnt(16);
    known.learn(token(0), 'ads_token');
    known.learn(token(16), 'ads_token');
    expect(known(`${token(0)} ${token(1)}`)).toBe(`[redacted] ${token(1)}`);
  });

  it('leaves those of another source alone', () => {
    const known = learnt(16);
    for (let number = 100; number < 200; number++) known.learn(token(number), 'container_token');
    expect(known(`${token(0)} ${token(199)}`)).toBe('[redacted] [redacted]');
  });

  it.each([
    ['of the settings', learnt(99, [token(0)])],
    [
      'learned for good',
      (() => {
        const known = createRedact([]);
        known.learn(token(0));
        for (let number = 0; number < 99; number++) known.learn(token(number), 'ads_token');
        return known;
      })(),
    ],
  ])('is never forgotten where it is %s as well', (_, known) => {
    expect(known(`${token(0)} ${token(1)}`)).toBe(`[redacted] ${token(1)}`);
  });
});
