import * as z from 'zod';
import type { ProxySettings } from '../../domain/connection-settings.ts';
import {
  customerIdText,
  type Expect,
  nonEmptyText,
  oneOrMany,
  scalar,
  timeOfDay,
  wholeNumber,
} from '../../yaml/scalars.ts';
import { each, group, section, setting } from './declare.ts';
import { address, queryName, retry, textLike, token, waitMs } from './forms.ts';

/** The public interface's newest version, or the specification's table. */
export const CATALOGUE_NAMES = ['v25', 'spec'] as const;

export const NEWEST_CATALOGUE = 'v25';

export const ADVERTISING = section(
  'The advertising interface',
  { live: true, before: ['Absent as a whole it is allowed, and the report says that nothing was read.'] },
  {
    ads: group({
      url: setting(address, 'Address without a version; https, or http on this machine', {
        env: ['ADS_URL'],
        secrecy: 'address',
      }),
      version: setting(textLike(/^v[1-9]\d*$/, 'v and a number such as v25'), 'Path segment after the address', {
        env: ['ADS_VERSION'],
        default: 'v25',
      }),
      catalogue: setting(
        z.enum(CATALOGUE_NAMES),
        "What query files are checked against: `v25`, every field of the public interface's newest version, or `spec`, the specification's table alone. It holds for the sandbox, too.",
        { default: NEWEST_CATALOGUE, bothTargets: true },
      ),
      access_token: setting(token('an OAuth 2.0 access token'), 'A ready OAuth 2.0 access token, or the three below', {
        env: ['ADS_ACCESS_TOKEN'],
        secrecy: 'secret',
      }),
      client_id: setting(nonEmptyText, 'Together with secret and refresh token, exchanged for access tokens', {
        env: ['ADS_CLIENT_ID'],
        secrecy: 'text',
      }),
      client_secret: setting(nonEmptyText, '', { env: ['ADS_CLIENT_SECRET'], secrecy: 'secret' }),
      refresh_token: setting(nonEmptyText, '', { env: ['ADS_REFRESH_TOKEN'], secrecy: 'secret' }),
      token_url: setting(address, 'Where they are exchanged', {
        env: ['ADS_TOKEN_URL'],
        secrecy: 'address',
        default: 'https://oauth2.googleapis.com/token',
      }),
      developer_token: setting(nonEmptyText, 'Sent as `developer-token` when set', {
        env: ['ADS_DEVELOPER_TOKEN'],
        secrecy: 'secret',
      }),
      login_customer_id: setting(
        customerIdText,
        'The manager account acted through. Without it every account is reached directly where that is possible, and through the manager it was found below otherwise.',
        { env: ['ADS_LOGIN_CUSTOMER_ID'], without: 'found out' },
      ),
      customer_ids: setting(
        oneOrMany(customerIdText),
        'The accounts to work on, and managers, which stand for every account below them; comma-separated in the environment',
        {
          env: ['ADS_CUSTOMER_IDS'],
          separator: ',',
          default: [],
          without: 'the login customer’s tree, or all accessible',
        },
      ),
      exclude_customer_ids: setting(
        oneOrMany(customerIdText),
        'Accounts to leave alone, and managers, which stand for everything below them, whichever way it is reached. Nothing is read or changed while one of these cannot be read.',
        { env: ['ADS_EXCLUDE_CUSTOMER_IDS'], separator: ',', default: [], without: 'none' },
      ),
      stream_path: setting(
        textLike(/^[A-Za-z0-9][A-Za-z0-9:._/-]*$/, 'a path such as googleAds:searchStream'),
        "The streaming operation after the customer's path",
        { env: ['ADS_STREAM_PATH'], default: 'googleAds:searchStream' },
      ),
      retry: retry(
        'Tries in all. Where no `retry` of an area is set, the commands that a person waits for (`accounts`, `ideas`, `graph`, `container`) try three times, with pauses of 1 and 2 seconds',
      ),
      timeouts: group({
        connect_ms: setting(
          waitMs(1),
          'How long a connection may take, a proxy’s tunnel included; like the next two never longer than `ads.retry.total_ms`',
          { default: 10_000, bothTargets: true },
        ),
        headers_ms: setting(waitMs(1), 'How long the service may think before it answers', {
          default: 120_000,
          bothTargets: true,
        }),
        body_idle_ms: setting(waitMs(1), 'How long an answer may stand still', { default: 60_000, bothTargets: true }),
      }),
    }),
  },
);

// No example of a name and password: redaction would remove real ones that match it.
const FORM =
  'the address of a proxy: http://host:port; where the proxy asks who it is, both parts of that before the host with a colon between them and an @ behind, special characters as %XX';

const proxyAddress = () => scalar(FORM, readAddress);

function readAddress(text: string, expect: Expect): string | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  let url: URL;
  try {
    url = new URL(whole);
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    return undefined;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return expect('the address of a proxy, one that begins with http:// or https://');
  }
  if ((url.username === '') !== (url.password === '')) {
    return expect('the address of a proxy with two parts and a colon between them before the @, or none');
  }
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.href : undefined;
}

export const PROXIES = section(
  'Proxies',
  {
    live: true,
    isOfAreas: false,
    before: [
      'Read from the environment or `.env`, in lower case first; for live targets only, never for the embedded sandbox. A live service on',
      'this machine (`http://127.0.0.1:…`) goes through `HTTP_PROXY` too, unless `NO_PROXY` names it.',
    ],
  },
  {
    proxy: group(
      {
        https: setting(
          proxyAddress(),
          'The proxy for https addresses, which are tunnelled (`CONNECT`): it sees the host and nothing else. `http://host:port` or `http://user:password@host:port`; user and password are treated as secrets.',
          { env: ['https_proxy', 'HTTPS_PROXY'], environmentOnly: true, secrecy: 'address' },
        ),
        http: setting(proxyAddress(), 'The proxy for http addresses, which are forwarded', {
          env: ['http_proxy', 'HTTP_PROXY'],
          environmentOnly: true,
          secrecy: 'address',
        }),
        bypass: setting(
          nonEmptyText,
          'Hosts that are reached without one, separated by commas: a name stands for itself and every name below it, `:port` narrows it, `*` is every host',
          { env: ['no_proxy', 'NO_PROXY'], environmentOnly: true },
        ),
      },
      ({ http, https, bypass }): ProxySettings | undefined =>
        http === undefined && https === undefined ? undefined : { http, https, bypass: bypass ?? '' },
    ),
  },
);

export const READING = section(
  'Reading',
  { before: ['For both targets.'] },
  {
    extract: group({
      concurrency: setting(wholeNumber(1, 64), 'Accounts that are read at the same time, 1 to 64', { default: 16 }),
      day_closes_at: setting(timeOfDay, "The time on the account's own calendar from which the day before is closed", {
        default: '03:00',
      }),
      settle_days: each(
        '<query>',
        { key: queryName, shown: /^[a-z][a-z_]{0,39}$/ },
        setting(
          wholeNumber(0, 90),
          'Days after which a past day of that query is complete, 0 to 90: conversions still move',
          { required: true, without: '0' },
        ),
      ),
      operations_per_day: setting(
        wholeNumber(1, 1_000_000_000),
        'How many operations of the advertising interface 24 hours may cost: every request for an account counts one, failed ones too',
      ),
      keep_records_days: setting(
        wholeNumber(31, 36_500),
        'Days after which a report removes what runs noted of their reading and nothing needs any more, 31 to 36500; rows, changes and alerts are never removed',
        { default: 400 },
      ),
    }),
  },
);
