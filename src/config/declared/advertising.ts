import * as z from 'zod';
import { ACCESS_LEVELS, type AccessLevel, type ProxySettings } from '../../domain/connection-settings.ts';
import { each, group, section, setting } from '../../language/settings/declare.ts';
import { address, queryName, retry, textLike, token, waitMs } from '../../language/settings/forms.ts';
import {
  customerIdText,
  type Expect,
  either,
  nonEmptyText,
  oneOrMany,
  scalar,
  timeOfDay,
  wholeNumber,
  yesOrNo,
} from '../../language/yaml/scalars.ts';

export const NEWEST_CATALOGUE = 'v25';

const LEVELS = Object.entries(ACCESS_LEVELS)
  .map(([level, limit]) => `\`${level}\` (${limit?.toLocaleString('en-US') ?? 'no limit'})`)
  .join(', ');

const accessLevel = either(
  (value) => typeof value === 'string' && /[a-z]/i.test(value),
  z.enum(Object.keys(ACCESS_LEVELS) as [AccessLevel, ...AccessLevel[]]),
  wholeNumber(1, 1_000_000_000),
);

export const ADVERTISING = section(
  'The advertising interface',
  { live: true, before: ['Without these settings, the report says that nothing was read.'] },
  {
    ads: group({
      url: setting(address, 'Address without a version: `https://ads.example.com`', {
        env: ['ADS_URL'],
        secrecy: 'address',
      }),
      version: setting(
        textLike(/^v[1-9]\d*$/, 'v and a number such as v25'),
        'API version, the path segment after the address',
        {
          env: ['ADS_VERSION'],
          default: NEWEST_CATALOGUE,
          bothTargets: true,
        },
      ),
      catalogue: setting(
        textLike(/^(?:auto|spec|v[1-9]\d*)$/, 'auto, spec, or v and a number such as v25'),
        "Catalogue of fields for checking queries. `auto`: the catalogue of `ads.version`, otherwise the newest shipped one. `v25`: the catalogue of that version. `spec`: only the fields of this project's specification",
        { default: 'auto', bothTargets: true },
      ),
      access_token: setting(token('an OAuth 2.0 access token'), 'OAuth 2.0 access token. Set this or the next three', {
        env: ['ADS_ACCESS_TOKEN'],
        secrecy: 'secret',
      }),
      client_id: setting(nonEmptyText, 'OAuth 2.0 client id. Secret and refresh token are also needed', {
        env: ['ADS_CLIENT_ID'],
        secrecy: 'text',
      }),
      client_secret: setting(nonEmptyText, 'OAuth 2.0 client secret', {
        env: ['ADS_CLIENT_SECRET'],
        secrecy: 'secret',
      }),
      refresh_token: setting(nonEmptyText, 'OAuth 2.0 refresh token', {
        env: ['ADS_REFRESH_TOKEN'],
        secrecy: 'secret',
      }),
      service_account_file: setting(
        nonEmptyText,
        'Key file of a service account, instead of a token. Only its owner may read it',
        { env: ['ADS_SERVICE_ACCOUNT_FILE'], isPath: true },
      ),
      impersonated_email: setting(nonEmptyText, 'User that the service account acts for, by domain-wide delegation', {
        env: ['ADS_IMPERSONATED_EMAIL'],
        secrecy: 'text',
      }),
      machine_identity: setting(
        yesOrNo,
        "Log in as this machine, without a token. pacekeeper tries, in this order: the file in `GOOGLE_APPLICATION_CREDENTIALS`, gcloud's login, the virtual machine's account. Behind a proxy, add 169.254.169.254 to `NO_PROXY`",
        { env: ['ADS_MACHINE_IDENTITY'], default: false },
      ),
      token_url: setting(address, 'Address that issues access tokens', {
        env: ['ADS_TOKEN_URL'],
        secrecy: 'address',
        default: 'https://oauth2.googleapis.com/token',
      }),
      developer_token: setting(
        nonEmptyText,
        'Developer token, sent as the header `developer-token` if it is set. The public service needs none',
        {
          env: ['ADS_DEVELOPER_TOKEN'],
          secrecy: 'secret',
        },
      ),
      access: setting(
        accessLevel,
        `Access level of your cloud project: ${LEVELS}. Or your own limit of operations in 24 hours: \`5000\`. At the limit, runs stop reading. Each request for an account counts as one operation. A request that changes budgets counts once per budget. Failed requests count, too`,
        { without: 'no limit', bothTargets: true },
      ),
      login_customer_id: setting(
        customerIdText,
        'Manager account to log in with: `123-456-7890`. Without it, pacekeeper finds the manager.',
        { env: ['ADS_LOGIN_CUSTOMER_ID'], without: 'detected' },
      ),
      customer_ids: setting(
        oneOrMany(customerIdText),
        'Accounts to work on: `[123-456-7890]`. A manager includes every account below it. Comma-separated in the environment',
        {
          env: ['ADS_CUSTOMER_IDS'],
          separator: ',',
          default: [],
          without: 'all below `ads.login_customer_id`, otherwise all accessible accounts',
        },
      ),
      exclude_customer_ids: setting(
        oneOrMany(customerIdText),
        'Accounts to skip. A manager includes every account below it. If pacekeeper cannot list the accounts below an excluded manager, it reads and changes nothing.',
        { env: ['ADS_EXCLUDE_CUSTOMER_IDS'], separator: ',', default: [], without: 'none' },
      ),
      accounts_query: setting(
        nonEmptyText,
        'Query that chooses among the accounts above, for example by label: `SELECT customer_client.id FROM customer_client WHERE customer_client.applied_labels CONTAINS ANY (…)`. The query runs at each manager. Other accounts are left out. If the query fails, nothing below that manager is read or changed',
        { env: ['ADS_ACCOUNTS_QUERY'], without: 'all of them', bothTargets: true },
      ),
      stream_path: setting(
        textLike(/^[A-Za-z0-9][A-Za-z0-9:._/-]*$/, 'a path such as googleAds:searchStream'),
        "Operation that streams rows, appended to the customer's path",
        { env: ['ADS_STREAM_PATH'], default: 'googleAds:searchStream' },
      ),
      response_content_type: setting(
        z.enum(['RESOURCE_NAME_ONLY', 'MUTABLE_RESOURCE']),
        'Content of the answer to a budget change, sent as `responseContentType`. With `MUTABLE_RESOURCE`, the answer shows the new amount. If it differs from the request, the outcome is unknown until the budget is read',
        { env: ['ADS_RESPONSE_CONTENT_TYPE'], without: 'not sent', bothTargets: true },
      ),
      retry: retry(
        'Attempts in total. If no `retry` key is set, `accounts`, `ideas`, `graph` and `container` try three times, after 1 and 2 seconds',
      ),
      timeouts: group({
        connect_ms: setting(
          waitMs(1),
          'Time limit in ms for connecting, including the tunnel of a proxy. This and the next two never exceed `ads.retry.total_ms`',
          { default: 10_000, bothTargets: true },
        ),
        headers_ms: setting(waitMs(1), 'Time limit in ms until the answer begins', {
          default: 120_000,
          bothTargets: true,
        }),
        body_idle_ms: setting(waitMs(1), 'Time limit in ms for a pause in the answer', {
          default: 60_000,
          bothTargets: true,
        }),
      }),
    }),
  },
);

// Uses capitals, because redaction would remove a real name such as `user` from the example.
const FORM =
  'the address of a proxy: http://host:port, or http://USER:PASSWORD@host:port with special characters as %XX';

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
    return expect('the address of a proxy that begins with http:// or https://');
  }
  if ((url.username === '') !== (url.password === '')) {
    return expect('the address of a proxy with USER:PASSWORD or nothing before the host');
  }
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.href : undefined;
}

export const PROXIES = section(
  'Proxies',
  {
    live: true,
    isOfAreas: false,
    before: [
      'These are read only from the environment or `.env`; lower-case names win. They apply to live targets, never to the embedded sandbox.',
      'Live services on this machine also use `HTTP_PROXY`, unless `NO_PROXY` names them.',
    ],
  },
  {
    proxy: group(
      {
        https: setting(
          proxyAddress(),
          'Proxy for https addresses: `http://host:port` or `http://user:password@host:port`. The proxy sees only the host (`CONNECT`).',
          { env: ['https_proxy', 'HTTPS_PROXY'], environmentOnly: true, secrecy: 'address' },
        ),
        http: setting(proxyAddress(), 'Proxy for http addresses; it forwards each request', {
          env: ['http_proxy', 'HTTP_PROXY'],
          environmentOnly: true,
          secrecy: 'address',
        }),
        bypass: setting(
          nonEmptyText,
          'Hosts reached without a proxy: `localhost,example.com:8443`. A name includes its subdomains, `:port` limits it to that port, `*` means every host',
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
  { before: ['These settings apply to both targets.'] },
  {
    extract: group({
      concurrency: setting(wholeNumber(1, 64), 'Accounts that a run works on at the same time, 1 to 64', {
        default: 16,
      }),
      day_closes_at: setting(
        timeOfDay,
        "Time of day in the account's time zone when the previous day counts as ended",
        {
          default: '03:00',
        },
      ),
      settle_days: each(
        '<query>',
        { key: queryName, shown: /^[a-z][a-z_]{0,39}$/ },
        setting(wholeNumber(0, 90), 'Days until a past day of that query is complete, 0 to 90', {
          required: true,
          without: '0',
        }),
      ),
      conversion_window: setting(
        wholeNumber(0, 90),
        'Days until a past day is complete for conversions, 0 to 90. Rules that use conversions wait for them. An account or a rule may have its own `conversion_window`',
        { default: 7 },
      ),
      keep_records_days: setting(
        wholeNumber(31, 36_500),
        'Days to keep records of what runs read, 31 to 36500. Rows, changes and alerts stay',
        { default: 400 },
      ),
    }),
    check: group({
      unknown_fields: setting(
        z.enum(['error', 'warn']),
        'Handling of a field that is not in the catalogue and resembles no known field. `error`: refuse the query. `warn`: read the field as text',
        { default: 'error' },
      ),
    }),
  },
);
