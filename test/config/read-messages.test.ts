import { describe, expect, it } from 'vitest';
import { failure, live, MESSAGES, messagesOf, problemsOf } from './settings-reader.ts';

const CONTENT = `HX${'0'.repeat(32)}`;

describe('the messaging interface', () => {
  it('C1: takes the account, its credentials and the addresses', () => {
    expect(messagesOf(live(MESSAGES))).toEqual({
      url: 'https://messages.example.com',
      accountId: 'AC1',
      username: 'user',
      password: 'password-1',
      from: 'whatsapp:+4915100000000',
      to: ['whatsapp:+4915112345678', 'sms:+4915112345679'],
      media: 'refuse',
      templates: new Map(),
      phonesWroteAt: undefined,
    });
  });

  it('C4: can link media that would be dropped', () => {
    expect(messagesOf(live(MESSAGES, 'messages: { media: link }')).media).toBe('link');
  });

  it.each([
    [
      'a kind that alerts do not have',
      '{ evnt: { content: X } }',
      /one of event, condition, digest, test, reply, default/,
    ],
    [
      'a field that alerts do not have',
      '{ test: { content: X, fields: [foo] } }',
      /one of finding, text, account, rule/,
    ],
    [
      'no field, so that no variable could hold the reference',
      '{ test: { content: X, fields: [] } }',
      /at least one field/,
    ],
    ['an id that is none', '{ test: { content: HX1 } }', /HX and 32 hexadecimal digits/],
    ['no id', '{ test: { fields: [text] } }', /missing, expected HX and 32/],
  ])('refuses a template with %s', (_mistake, templates, expected) => {
    const config = `messages: { templates: ${templates.replace('content: X', `content: ${CONTENT}`)} }`;
    expect(String(failure(() => live(MESSAGES, config)).findings[0]?.diagnostics[0]?.message)).toMatch(expected);
  });

  it('takes a template for a kind of alert, by default with the text in one variable', () => {
    const config = `messages: { templates: { test: { content: ${CONTENT} } } }`;
    expect(messagesOf(live(MESSAGES, config)).templates).toEqual(
      new Map([['test', { content: CONTENT, fields: ['text'] }]]),
    );
  });

  it('needs no recipient if alerts.recipients is set', () => {
    const config = 'alerts: { recipients: { anna: { messages: "whatsapp:+4915112345678" } } }';
    const without = { ...MESSAGES, MESSAGES_TO: undefined };
    expect(messagesOf(live(without, config)).to).toEqual([]);
    expect(problemsOf({ ...without, MESSAGES_FROM: undefined }, config)).toEqual([
      'MESSAGES_FROM is missing, but MESSAGES_URL, MESSAGES_ACCOUNT_ID, MESSAGES_USERNAME, MESSAGES_PASSWORD are set. Set all settings of this interface, or remove them all.',
    ]);
  });

  it('is read from the file; one recipient needs no list', () => {
    const config = [
      'messages:',
      '  url: https://m.example',
      '  account_id: AC2',
      '  username: u',
      '  password: p',
      '  from: sms:+15550000001',
      '  to: sms:+15550000002',
    ].join('\n');
    expect(messagesOf(live({ MESSAGES_USERNAME: 'other' }, config))).toMatchObject({
      accountId: 'AC2',
      username: 'other',
      to: ['sms:+15550000002'],
    });
  });

  it.each(Object.keys(MESSAGES))('is refused without %s', (name) => {
    const others = Object.keys(MESSAGES).filter((other) => other !== name);
    expect(problemsOf({ ...MESSAGES, [name]: undefined })).toEqual([
      `${name} is missing, but ${others.join(', ')} are set. Set all settings of this interface, or remove them all.`,
    ]);
  });

  it('is refused with one name alone, with one problem per missing name', () => {
    expect(problemsOf({ MESSAGES_URL: 'https://m.example' })).toHaveLength(5);
  });

  it('counts an empty list as missing', () => {
    expect(problemsOf({ ...MESSAGES, MESSAGES_TO: ' , ' })[0]).toMatch(/^MESSAGES_TO is missing/);
  });

  it('C2: is refused with an invalid address, without repeating it', () => {
    const problems = problemsOf({
      ...MESSAGES,
      MESSAGES_FROM: '+49151',
      MESSAGES_TO: 'whatsapp:+4915112345678,0151 12',
    });
    expect(problems).toEqual([
      'Found text for MESSAGES_FROM, expected <channel>:+<number>, such as whatsapp:+4915112345678.',
      'Found text for MESSAGES_TO, expected <channel>:+<number>, such as whatsapp:+4915112345678.',
    ]);
  });
});
