import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readGraphWebhook } from '../../src/channels/graph/receive-webhooks.ts';
import { readMessagesWebhook } from '../../src/channels/messages/receive-webhooks.ts';
import { credentialsInEnvironment, readCredentialsFile } from '../../src/commands/init/found-credentials.ts';
import { settingsFrom } from '../../src/config/read-settings.ts';
import { InputError } from '../../src/domain/errors.ts';
import { readYaml } from '../../src/language/yaml/read-yaml.ts';

/** What every object has, and a text may have as a key. */
const INHERITED = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf'];
const CREDENTIALS = 'client_id: a\nclient_secret: b\nrefresh_token: c\n';

const untouched = () => expect(({} as Record<string, unknown>).polluted).toBeUndefined();

describe('a key that every object has', () => {
  it.each(INHERITED)('is not a setting of google-ads.yaml: %s', (key) => {
    const { values, notes } = readCredentialsFile('google-ads.yaml', `${CREDENTIALS}${key}: polluted\n`);
    expect([...values.keys()]).toEqual(['ADS_CLIENT_ID', 'ADS_CLIENT_SECRET', 'ADS_REFRESH_TOKEN', 'ADS_URL']);
    if (key !== '__proto__') expect(notes).toEqual(['google-ads.yaml has an unknown key, which is ignored.']);
    untouched();
  });

  it('is not a setting in the environment', () => {
    const named = { GOOGLE_ADS_CLIENT_ID: 'a', GOOGLE_ADS_CLIENT_SECRET: 'b', GOOGLE_ADS_REFRESH_TOKEN: 'c' };
    const { values } = credentialsInEnvironment({ ...named, GOOGLE_ADS_CONSTRUCTOR: 'polluted' }, '/nowhere');
    expect([...values.values()]).not.toContain('polluted');
  });

  it.each(INHERITED)('is not one of our settings: %s', (key) => {
    expect(() => settingsFrom('/nowhere', {}, {}, `ads: { ${key}: { polluted: yes } }\n${key}: 1\n`)).toThrow(
      InputError,
    );
    untouched();
  });

  it('changes no object through YAML', () => {
    readYaml('__proto__: { polluted: yes }\na: { __proto__: { polluted: yes } }', z.unknown());
    readYaml('? __proto__\n: { polluted: yes }', z.looseObject({}));
    untouched();
  });

  it('changes no object through a webhook, and is stored unchanged', () => {
    const [event] = readGraphWebhook('{"__proto__":{"polluted":1},"entry":[]}');
    const form = readMessagesWebhook(
      new URLSearchParams('__proto__=polluted&constructor=1&MessageSid=SM1&From=whatsapp:%2B1555'),
    );
    expect(event?.payload).toContain('"__proto__":{"polluted":1}');
    expect(form.payload).toContain('"__proto__":"polluted"');
    untouched();
  });
});
