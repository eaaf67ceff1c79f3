import { describe, expect, it } from 'vitest';
import { liveAreas } from '../../src/config/live-areas.ts';
import type { Environment } from '../../src/config/setting-tree.ts';
import { GRAPH, graphOf, live, problemsOf } from './settings-reader.ts';

const SENDER = '106540352242922';

describe('the messaging interface of the graph', () => {
  it('A9: takes an address and a token, and a default version', () => {
    expect(graphOf(live(GRAPH))).toEqual({
      url: 'https://graph.example.com',
      version: 'v23.0',
      accessToken: 'EAAG-secret',
      tokenIn: 'header',
      businessAccountId: undefined,
      phoneNumberId: undefined,
      userId: undefined,
      templates: new Map(),
      buttons: false,
      phonesWroteAt: undefined,
    });
  });

  it('A6, A10: is read from the file; the environment overrides single values', () => {
    const config = [
      'graph:',
      '  url: https://file.example.com/api/',
      '  version: v15.0',
      '  access_token: file-token',
      '  token_in: query',
      '  business_account_id: 102290129340398',
      `  phone_number_id: ${SENDER}`,
      '  user_id: 1',
    ].join('\n');
    const inFile = {
      url: 'https://file.example.com/api',
      version: 'v15.0',
      accessToken: 'file-token',
      tokenIn: 'query',
      businessAccountId: '102290129340398',
      phoneNumberId: SENDER,
      userId: '1',
      templates: new Map(),
      buttons: false,
      phonesWroteAt: undefined,
    };
    expect(graphOf(live({}, config))).toEqual(inFile);
    const environment = { GRAPH_VERSION: 'v13.0', GRAPH_PHONE_NUMBER_ID: '7', GRAPH_USER_ID: '8' };
    expect(graphOf(live(environment, config))).toEqual({
      ...inFile,
      version: 'v13.0',
      phoneNumberId: '7',
      userId: '8',
    });
  });

  it.each(['v3.3', 'v13.0', 'v14.0', 'v15.0', 'v23.0', 'v100.12'])('A9: accepts the version %s', (version) => {
    expect(graphOf(live({ ...GRAPH, GRAPH_VERSION: version })).version).toBe(version);
  });

  it('A6, A9: is refused for each mistake', () => {
    const mistakes: Environment[] = [
      // What is neither a word nor a version may be a secret in the wrong place.
      ...'23.0 v23 v0.1 v23.00 v23.01 v23. V23.0 v23.0/me latest'
        .split(' ')
        .map((version) => ({ ...GRAPH, GRAPH_VERSION: version })),
      { ...GRAPH, GRAPH_ACCESS_TOKEN: undefined },
      { GRAPH_ACCESS_TOKEN: 'x', GRAPH_USER_ID: '1' },
      { GRAPH_PHONE_NUMBER_ID: SENDER },
      { ...GRAPH, GRAPH_URL: 'https://graph.example.com/v15.0/' },
      { ...GRAPH, GRAPH_URL: 'http://graph.example.com' },
      { ...GRAPH, GRAPH_ACCESS_TOKEN: 'Bearer EAAG' },
      { ...GRAPH, GRAPH_PHONE_NUMBER_ID: '+4915112345678' },
      { ...GRAPH, GRAPH_BUSINESS_ACCOUNT_ID: 'act_1', GRAPH_USER_ID: 'me' },
      { ...GRAPH, GRAPH_PHONE_NUMBER_ID: SENDER, GRAPH_BUSINESS_ACCOUNT_ID: SENDER },
    ];
    expect(mistakes.flatMap((one) => problemsOf(one)).join('\n')).toMatchInlineSnapshot(`
      "Found "23.0" for GRAPH_VERSION, expected v and two numbers such as v23.0.
      Found "v23" for GRAPH_VERSION, expected v and two numbers such as v23.0.
      Found "v0.1" for GRAPH_VERSION, expected v and two numbers such as v23.0.
      Found "v23.00" for GRAPH_VERSION, expected v and two numbers such as v23.0.
      Found "v23.01" for GRAPH_VERSION, expected v and two numbers such as v23.0.
      Found text for GRAPH_VERSION, expected v and two numbers such as v23.0.
      Found "V23.0" for GRAPH_VERSION, expected v and two numbers such as v23.0.
      Found text for GRAPH_VERSION, expected v and two numbers such as v23.0.
      Found "latest" for GRAPH_VERSION, expected v and two numbers such as v23.0.
      GRAPH_ACCESS_TOKEN is missing, but GRAPH_URL is set. Set all settings of this interface, or remove them all.
      GRAPH_URL is missing, but GRAPH_ACCESS_TOKEN, GRAPH_USER_ID are set. Set all settings of this interface, or remove them all.
      GRAPH_URL is missing, but GRAPH_PHONE_NUMBER_ID is set. Set all settings of this interface, or remove them all.
      GRAPH_ACCESS_TOKEN is missing, but GRAPH_PHONE_NUMBER_ID is set. Set all settings of this interface, or remove them all.
      Found text for GRAPH_URL, expected the address without the version.
      Found text for GRAPH_URL, expected an address that begins with https://, or with http:// on this machine.
      Found text for GRAPH_ACCESS_TOKEN, expected an access token, without spaces or quotes.
      Found text for GRAPH_PHONE_NUMBER_ID, expected an id of digits such as 106540352242922, not the phone number.
      Found text for GRAPH_BUSINESS_ACCOUNT_ID, expected an id of digits such as 106540352242922.
      Found text for GRAPH_USER_ID, expected an id of digits such as 106540352242922.
      GRAPH_PHONE_NUMBER_ID has the same value as GRAPH_BUSINESS_ACCOUNT_ID, expected two different ids."
    `);
  });

  it('is not configured by webhook secrets or token_in alone', () => {
    const settings = live({ GRAPH_APP_SECRET: 'x' }, 'graph: { token_in: query, verify_token: y }');
    expect(liveAreas(settings).graph).toBeUndefined();
  });
});
