import { describe, expect, it } from 'vitest';
import { EMAIL, keyFile, privateKeyPem } from '../support/service-account.ts';
import { tempDir } from '../support/temp-dir.ts';
import { ADS, adsOf, live, problemsOf, REFRESH, read } from './settings-reader.ts';

const { ADS_URL } = ADS;

describe('a service account', () => {
  it('is read from its key file, with the user that it acts for', () => {
    const file = keyFile();
    const env = { ADS_URL, ADS_SERVICE_ACCOUNT_FILE: file, ADS_IMPERSONATED_EMAIL: 'ann@example.com' };
    const settings = live(env);
    expect(adsOf(settings).credentials).toEqual({
      kind: 'service_account',
      key: { file, clientEmail: EMAIL, privateKey: privateKeyPem() },
      impersonatedEmail: 'ann@example.com',
      tokenUrl: 'https://oauth2.googleapis.com/token',
    });
    expect(settings.secrets).toContain(privateKeyPem());
  });

  it('may be the identity of the machine', () => {
    const { credentials } = adsOf(live({ ADS_URL, ADS_MACHINE_IDENTITY: 'true' }));
    expect(credentials).toEqual({ kind: 'machine', tokenUrl: 'https://oauth2.googleapis.com/token' });
  });

  it('is not read for the sandbox', () => {
    const { serviceAccount } = read({ ADS_SERVICE_ACCOUNT_FILE: keyFile('no JSON') });
    expect(serviceAccount).toBeUndefined();
  });

  const EXPECTED = 'expected the JSON key file of a service account';
  const NEW_KEY = 'Create a key of the type JSON for the service account, and name its file.';
  it.each<[string, () => string, string]>([
    ['a missing file', () => `${tempDir()}/none.json`, `found no such file, ${EXPECTED}. Check the path.`],
    ['a folder', () => tempDir(), `found a folder, ${EXPECTED}. Check the path.`],
    ['no JSON', () => keyFile('-----BEGIN'), `found a file that is not JSON, ${EXPECTED}. ${NEW_KEY}`],
    ['a JSON list', () => keyFile('[1]'), `found a file that is not JSON, ${EXPECTED}. ${NEW_KEY}`],
    ['an empty file', () => keyFile(''), `found a file that is not JSON, ${EXPECTED}. ${NEW_KEY}`],
    [
      'a huge file',
      () => keyFile({ more: 'x'.repeat(100_000) }),
      `found a file that is not JSON, ${EXPECTED}. ${NEW_KEY}`,
    ],
    [
      'the file of an OAuth client',
      () => keyFile('{"installed":{"client_id":"1","client_secret":"S3Cret"}}'),
      `found the file of an OAuth client, ${EXPECTED}. ${NEW_KEY} For the client, set ADS_CLIENT_ID and its secret instead.`,
    ],
    [
      "a user's login",
      () => keyFile('{"type":"authorized_user","refresh_token":"S3Cret"}'),
      `found a login of gcloud, ${EXPECTED}. To use it, set ads.machine_identity instead.`,
    ],
    [
      'a federated identity',
      () => keyFile('{"type":"external_account"}'),
      `found a file of workload identity federation, ${EXPECTED}. Set GOOGLE_APPLICATION_CREDENTIALS to it, and ads.machine_identity: true.`,
    ],
    ['no key', () => keyFile({ private_key: undefined }), `found JSON without private_key, ${EXPECTED}. ${NEW_KEY}`],
    ['neither', () => keyFile('{}'), `found JSON without client_email and private_key, ${EXPECTED}. ${NEW_KEY}`],
    [
      'a damaged key',
      () => keyFile({ private_key: privateKeyPem().slice(0, 900) }),
      `found a private_key that is damaged, ${EXPECTED}. ${NEW_KEY}`,
    ],
  ])('is refused with %s', (_, make, says) => {
    const file = make();
    const problems = problemsOf({ ADS_URL, ADS_SERVICE_ACCOUNT_FILE: file });
    expect(problems).toEqual([`ADS_SERVICE_ACCOUNT_FILE names ${file}: ${says}`]);
  });

  it.each([0o644, 0o640, 0o604])('is refused if others can read its file', (mode) => {
    const file = keyFile({}, mode);
    expect(problemsOf({ ADS_URL, ADS_SERVICE_ACCOUNT_FILE: file })).toEqual([
      `ADS_SERVICE_ACCOUNT_FILE names ${file}: found mode ${mode.toString(8)}, expected a file that only its owner can read. Run chmod 600 ${file}`,
    ]);
  });

  it('is refused at its place in the settings file', () => {
    const config = `target: live\nads:\n  url: ${ADS_URL}\n  service_account_file: none.json\n`;
    expect(problemsOf({}, config)).toEqual([
      expect.stringMatching(/^ads\.service_account_file names .*none\.json: found no such file/),
    ]);
  });

  it.each<[string, Record<string, string | undefined>, string[]]>([
    ['an access token', ADS, ['ADS_ACCESS_TOKEN']],
    ['a refresh token', REFRESH, ['ADS_CLIENT_ID', 'ADS_CLIENT_SECRET', 'ADS_REFRESH_TOKEN']],
    ['the identity of the machine', { ADS_URL, ADS_MACHINE_IDENTITY: 'yes' }, ['ADS_MACHINE_IDENTITY']],
  ])('is refused beside %s', (_, env, names) => {
    expect(problemsOf({ ...env, ADS_SERVICE_ACCOUNT_FILE: keyFile() })).toEqual([
      `ADS_SERVICE_ACCOUNT_FILE is set beside ${names.join(', ')}. Keep one way to log in, and remove the others.`,
    ]);
  });

  it('is needed to act for a user', () => {
    expect(problemsOf({ ...ADS, ADS_IMPERSONATED_EMAIL: 'ann@example.com' })).toEqual([
      'ADS_IMPERSONATED_EMAIL needs a key file. Set ADS_SERVICE_ACCOUNT_FILE, or remove this setting.',
    ]);
    expect(problemsOf({ ADS_URL, ADS_MACHINE_IDENTITY: 'yes', ADS_IMPERSONATED_EMAIL: 'ann@example.com' })).toEqual([
      'ADS_IMPERSONATED_EMAIL needs a key file. ads.machine_identity cannot act for users: set ADS_SERVICE_ACCOUNT_FILE instead.',
    ]);
  });
});
