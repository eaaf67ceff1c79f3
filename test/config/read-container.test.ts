import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/config/setting-tree.ts';
import { CONTAINER, containerOf, live, problemsOf } from './settings-reader.ts';

describe('the container', () => {
  it('D1, D3: takes an address, a user and a password, and sends its token as a bearer', () => {
    expect(containerOf(live(CONTAINER))).toEqual({
      url: 'https://container.example.com',
      username: 'admin',
      password: 'Passw0rd!',
      tokenHeader: 'Authorization',
    });
  });

  it('D3: is read from the file with its token header; the environment overrides single values', () => {
    const config = 'container: { url: http://127.0.0.1:9090/, username: a, password: b, token_header: X-Token }';
    expect(containerOf(live({ CONTAINER_PASSWORD: 'c' }, config))).toEqual({
      url: 'http://127.0.0.1:9090',
      username: 'a',
      password: 'c',
      tokenHeader: 'X-Token',
    });
  });

  it.each(Object.keys(CONTAINER))('is refused without %s', (name) => {
    const others = Object.keys(CONTAINER).filter((other) => other !== name);
    expect(problemsOf({ ...CONTAINER, [name]: undefined })).toEqual([
      `${name} is missing, but ${others.join(', ')} are set. Set all settings of this interface, or remove them all.`,
    ]);
  });

  it.each<[string, Environment, string | undefined, string]>([
    [
      'an address with its version',
      { CONTAINER_URL: 'https://container.example.com/v1' },
      undefined,
      'Found text for CONTAINER_URL, expected the address without the version.',
    ],
    [
      'a user name with a colon',
      { CONTAINER_USERNAME: 'ad:min' },
      undefined,
      'Found text for CONTAINER_USERNAME, expected a name without a colon.',
    ],
    [
      'a header with another use',
      {},
      'container: { token_header: Content-Type }',
      'Found "Content-Type" for "container.token_header", expected a header that HTTP itself does not use, such as Authorization.',
    ],
  ])('is refused with %s', (_, environment, config, problem) => {
    expect(problemsOf({ ...CONTAINER, ...environment }, config)).toEqual([problem]);
  });
});
