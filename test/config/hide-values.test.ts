import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideValues, SETTINGS_QUOTING } from '../../src/config/hide-values.ts';
import { settingsSchema } from '../../src/config/settings.ts';
import { renderDiagnostic } from '../../src/domain/diagnostic.ts';
import { readYaml } from '../../src/language/yaml/read-yaml.ts';
import { byEffort } from '../support/effort.ts';

/** All that is said of a settings text, with every line of it, as each finding could show any of them. */
function said(source: string): string {
  const reading = readYaml(source, settingsSchema, SETTINGS_QUOTING);
  if (reading.kind === 'ok') return hideValues(source);
  const masked = hideValues(source);
  return [...reading.diagnostics.map((found) => renderDiagnostic('f', masked, found)), masked].join('\n');
}

/** The first finding. */
function shown(source: string): string {
  const reading = readYaml(source, settingsSchema, SETTINGS_QUOTING);
  const [first] = reading.kind === 'ok' ? [] : reading.diagnostics;
  return first === undefined ? '' : renderDiagnostic('f', hideValues(source), first);
}

describe('an error in pacekeeper.yaml reveals no secret', () => {
  it.each([
    ['in the first key of a group in one line', 'messages: {password: S3Cret, frm: x}'],
    ['in a misspelt key of such a group', 'ads: {acess_token: S3Cret, devloper_token: x}'],
    ['in a misspelt area', 'mesages: {password: S3Cret}'],
    ['that begins with a bracket', 'messages: { password: {S3Cret}, frm: x }'],
    ['in a group instead of text', 'ads:\n  refresh_token: {a: S3Cret}'],
    ['that begins like an alias', 'messages:\n  password: *S3Cret'],
    ['that begins like an anchor', 'messages:\n  password: &S3Cret [a]'],
    ['that begins like a tag', 'messages:\n  password: !S3Cret [a]'],
    ['that begins like a directive', '%S3Cret\n---\nmesages: x'],
    ['that begins like a text of several lines', 'messages:\n  password: |S3Cret'],
    ['that begins with a character reserved by YAML', 'messages:\n  password: @S3Cret'],
    ['with a backslash', 'messages:\n  password: "\\S3Cret"'],
    ['of several lines', 'messages:\n  password: "a\n  target: S3Cret\n  b"\n  frm: x'],
    ['of several lines that look like settings', 'messages:\n  frm: |\n    target: S3Cret\n'],
    ['instead of an area', 'messages: S3Cret'],
    ['in a list instead of an area', 'ads: [S3Cret]'],
    ['instead of all settings', 'S3Cret'],
    ['as a key below a secret', 'messages:\n  password:\n    S3Cret: 1'],
    ['as a key below a misspelt key', 'messages:\n  pasword:\n    S3Cret: 1'],
    ['as a key of an area', 'messages: { password: ab,S3Cret, frm: x }'],
    ['as a key of the file', 'S3Cret: x'],
    ['as a key of an account', 'accounts: { S3Cret: {} }'],
    ['as a key of a key', 'ads: { ? [S3Cret] : x }'],
    ['twice', 'S3Cret: x\nS3Cret: x'],
    ['behind an alias', 'ads: { access_token: &a S3Cret }\ntarget: *a'],
    ['in a comment', 'target: production # was S3Cret'],
    ['that runs into a setting that may be shown', 'target: production password S3Cret'],
    ['that runs into a setting of the next line', 'target: production\n  S3Cret'],
    ['below a setting that may be shown', 'target: s3cret-S3Cret'],
    ['in a misspelt key of the graph', 'graph: { app_sekret: S3Cret, verify_tokens: S3Cret, acces_token: S3Cret }'],
    ['beside a mistake of the graph', 'graph: { token_in: S3Cret, app_secret: S3Cret, verify_token: S3Cret }'],
    ['beside a mistake of the container', 'container: { password: S3Cret, username: S3Cret, tokenheader: x }'],
    ['instead of a header', 'container: { token_header: S3Cret S3Cret }'],
    ['as the name of a recipient', 'alerts: { recipients: { S3Cret: { messages: S3Cret } } }'],
    ['instead of a route', 'alerts: { routes: [S3Cret] }'],
    ['in a route', 'alerts: { routes: [{ to: S3Cret, severities: S3Cret, S3Cret: x }] }'],
    ['after the end of the document', 'target: production\n---\nS3Cret: a'],
  ])('%s', (_, source) => {
    expect(shown(source)).toMatch(/^f:\d+:\d+: error: /);
    expect(said(source)).not.toContain('S3C');
  });

  it.each([
    ['for an id', 'graph: { phone_number_id: +4916012345678, versoin: x }'],
    ['of a recipient', 'alerts: { recipients: { anna: { messages: 4916012345678, graph: 4916012345678, zone: x } } }'],
    ['for a recipient', 'alerts: { recipients: { 4916012345678: { graph: x } } }'],
    ['of an approver', 'alerts: { approvers: [+4916012345678, 4916012345678], digest_at: soon }'],
    ['of an approver with a name', 'alerts: { approvers: { anna: 4916012345678, 4916012345678: x }, digest_at: soon }'],
    ['for the name of a recipient', 'alerts: { routes: [{ to: 4916012345678, rule: x }] }'],
    ['of the other interface', 'messages: { from: 4916012345678, to: [4916012345678], medium: x }'],
  ])('and no phone number: %s', (_, source) => {
    expect(shown(source)).toMatch(/^f:\d+:\d+: error: /);
    expect(said(source)).not.toContain('16012345');
  });

  const word = fc.stringMatching(/^[A-Z][0-9][A-Z0-9]{5,8}$/);
  const punctuation = fc.constantFrom(
    ...'- + / = @ : , { } [ ] " \' # * & ! | > % ` \\ • 😀'.split(' '),
    '',
    '',
    ': ',
    ', ',
    ' #',
    ' ',
    '\n      ',
    '? ',
    '- ',
  );
  const secret = fc.tuple(punctuation, word, punctuation, word, punctuation).map((parts) => parts.join(''));
  const written = fc.tuple(
    secret,
    fc.constantFrom<(secret: string) => string>(
      (text) => text,
      (text) => JSON.stringify(text),
      (text) => `'${text.replaceAll("'", "''")}'`,
      (text) => `"${text}`,
      (text) => `*${text}`,
      (text) => `&${text} x`,
      (text) => `!${text} x`,
      (text) => `&anchor ${text}`,
      (text) => `|${text}`,
      (text) => `|\n      ${text}\n      target: ${text}\n`,
      (text) => `>-\n      x\n      ${text}`,
      (text) => `x\n      ${text}`,
      (text) => `{${text}}`,
      (text) => `{${text}: 1}`,
      (text) => `{ target: ${text} }`,
      (text) => `[${text}, *anchor]`,
      (text) => `\n      ${text}: 1`,
      (text) => `\n      password:\n        ${text}: 1`,
      (text) => `\n      - ${text}`,
      (text) => `\n      ? ${text}\n      : 1`,
      (text) => `x # ${text}`,
    ),
  );
  const area = fc.constantFrom(...'ads messages graph container serve alerts adds mesages account'.split(' '));
  const key = fc.constantFrom(
    ...'password access_token client_secret refresh_token developer_token username url to app_secret'.split(' '),
    ...'verify_token public_url approvers recipients phone_number_id pasword acces_token clientsecret'.split(' '),
    ...'refreshtoken secret api-key'.split(' '),
  );
  const settings = fc
    .tuple(area, key, written, fc.constantFrom('block', 'flow', 'json', 'area', 'top', 'file'))
    .map(([area, key, [secret, write], form]) => {
      const value = write(secret);
      const text = {
        block: `${area}:\n  version: v25\n  ${key}: ${value}\n  retry:\n    attempts: 3\n`,
        flow: `${area}: { ${key}: ${value}, retry: { attempts: 3 }, ${key}s: ${value} }\n`,
        json: `"${area}": {"version": "v25", "${key}": ${value}}\n`,
        area: `${area}: ${value}\n`,
        top: `${key}: ${value}\n`,
        file: `${value}\n`,
      }[form];
      return { secret, text: form === 'file' ? text : `target: sandbox\n${text}sandbox: { seed: x }\n` };
    });
  const damage = fc.tuple(
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.constantFrom(...': , " \' { } [ ] #'.split(' '), '', '', ' ', '\n', '\n  ', '\t', ': ', ' # ', '- ', '\r'),
  );

  it('for any secret, at any place, beside any other error', () => {
    fc.assert(
      fc.property(settings, fc.array(damage, { maxLength: 2 }), ({ secret, text }, damages) => {
        const source = damages.reduce((sound, [place, removed, added]) => {
          const at = place % (sound.length + 1);
          return sound.slice(0, at) + added + sound.slice(at + removed);
        }, text);
        const told = said(source);
        for (const part of secret.match(/[A-Z0-9]{7,}/g) ?? []) expect(told).not.toContain(part.slice(0, 4));
      }),
      { numRuns: byEffort({ quick: 250, thorough: 1_000 }) },
    );
  });
});

describe('the displayed text of pacekeeper.yaml', () => {
  it('keeps the length and the lines of the text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'a:{}[],"\'#&*!|>- \n\t\r•é😀') });
    const lengths = (source: string) => source.split(/\r\n|\n|\r/).map(({ length }) => length);
    fc.assert(
      fc.property(text, (source) => {
        expect(lengths(hideValues(source))).toEqual(lengths(source));
      }),
    );
  });

  it.each([
    ['shows known keys', 'ads: { url: a, "version": v25 }', 'ads: { url: •, "version": ••• •'],
    ['shows them in lists', 'schedule:\n  - name: a\n    cron: b', 'schedule:\n  - name: •\n    cron: •'],
    ['hides keys that the user chose', 'params: { labels: a }', 'params: • ••••••• • •'],
    ['hides a misspelt key', 'ads:\n  clientsecret: a', 'ads:\n  ••••••••••••• •'],
    ['shows keys of a damaged text', 'ads:\n\tversion: v25\n  other: a', 'ads:\n\tversion: •••\n  •••••• •'],
    ['hides comments', 'target: live # url', 'target: •••• • •••'],
  ])('%s', (_, source, masked) => {
    expect(hideValues(source)).toBe(masked);
  });
});

it('a message still says what is wrong, where, and the next step', () => {
  expect(shown('messages: {password: S3Cret, frm: x}')).toMatchInlineSnapshot(`
    "f:1:30: error: Unknown setting "frm". [UNKNOWN_KEY]
      1 | messages: {password: ••••••• •••• ••
        |                              ^^^
      hint: Did you mean from?"
  `);
  expect(shown('messages:\n  password: *S3Cret')).toMatchInlineSnapshot(`
    "f:2:13: error: This alias has no anchor before it. [BAD_YAML]
      2 |   password: •••••••
        |             ^^^^^^^
      hint: Put text that begins with * in quotes."
  `);
  expect(shown('ads: { hurry: x }')).toMatchInlineSnapshot(`
    "f:1:8: error: Unknown setting. [UNKNOWN_KEY]
      1 | ads: • •••••• • •
        |        ^^^^^
      hint: Settings here are url, version, catalogue, access_token, client_id, client_secret, refresh_token, service_account_file, impersonated_email, machine_identity, token_url, developer_token, access, login_customer_id, customer_ids, exclude_customer_ids, accounts_query, stream_path, response_content_type, retry, timeouts."
  `);
});
