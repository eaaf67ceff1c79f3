import * as z from 'zod';
import { customerIdText, nonEmptyText, oneOrMany } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';
import { address, retry, textLike, token, waitMs } from './forms.ts';

/** What query files are checked against: the newest version of the public interface, or the specification's table. */
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
