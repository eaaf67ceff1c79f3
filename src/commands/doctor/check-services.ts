import type { GraphConnection } from '../../channels/graph/call-graph.ts';
import { permissions } from '../../channels/graph/diagnose-pages.ts';
import { listPhoneNumbers } from '../../channels/graph/phone-numbers.ts';
import { listMessages } from '../../channels/messages/find-message.ts';
import { alertsOf } from '../../config/alert-settings.ts';
import { liveAreas } from '../../config/live-areas.ts';
import { ApiError, InputError } from '../../domain/errors.ts';
import type { AreasApp } from '../../engine/app.ts';
import { checksOf } from '../../engine/folder/store-check.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { listAccessibleCustomers } from '../../services/ads/list-accounts.ts';
import { containerStatus } from '../../services/container/container-status.ts';
import { openSession } from '../../services/container/session.ts';
import { offered } from '../../services/http/classify-failure.ts';
import type { HttpClient } from '../../services/http/http-client.ts';
import { count } from '../../views/text/text-layout.ts';
import type { ListedAccount } from '../accounts/accounts-view.ts';
import { listAccounts } from '../accounts/run-accounts.ts';
import type { Check } from './doctor-view.ts';

const { ok, warning, missing, failed } = checksOf('services');

interface Area<Connection> {
  readonly name: string;
  /** With a next step if something could not be checked. */
  readonly ask: (connection: Connection) => Promise<string | Pick<Check, 'found' | 'nextStep'>>;
  readonly expected: string;
  readonly withoutIt: string;
  readonly nextStep: string;
  readonly isRare?: true;
}

/** The requests cost nothing and change nothing. */
export async function checkServices(areas: AreasApp, offline: boolean, nowMs: () => number): Promise<Check[]> {
  const dates: DateSeen[] = [];
  const watched = <Connection extends { readonly http: HttpClient }>(one: Connection | undefined) =>
    one && { ...one, http: watching(one.http, dates, nowMs) };
  const { settings } = areas;
  const checks = await Promise.all([
    checkArea(offline, watched(areas.ads), {
      name: 'advertising',
      expected: 'credentials that reach accounts',
      withoutIt: 'ADS_URL and credentials; without them, nothing is read',
      nextStep:
        'Run pacekeeper init --target live in a new folder, or set the names under "ads" in docs/configuration.md.',
      ask: async (ads) => {
        const { customers, unusable } = await listAccessibleCustomers(ads);
        const { excludeCustomerIds, accountsQuery } = settings.ads;
        const listed = excludeCustomerIds.length > 0 || accountsQuery ? await listAccounts(settings, ads) : [];
        if (accountsQuery !== undefined) refuseUnchosen(listed);
        const left = unusable.length === 0 ? '' : `; left out as invalid account numbers: ${unusable.join(', ')}`;
        return `${count(customers.length, 'account')} reached${asAccount(settings)}${left}`;
      },
    }),
    checkArea(offline, watched(areas.messages), {
      name: 'messages',
      expected: 'credentials that can list messages',
      withoutIt: 'MESSAGES_URL and its credentials; without them, alerts wait or use the graph interface',
      nextStep: 'To send alerts this way, set the names under "messages" in docs/configuration.md.',
      ask: async (messages) => {
        const isListed = await offered(() => listMessages(messages, 1).then(() => true));
        if (isListed) return 'messages can be listed';
        return {
          found: 'listing messages is not offered, so the credentials are not checked',
          nextStep:
            'Check them with pacekeeper messages send. If the service lists messages, check MESSAGES_URL and MESSAGES_ACCOUNT_ID.',
        };
      },
    }),
    checkArea(offline, watched(areas.graph), {
      name: 'graph',
      isRare: true,
      expected: 'a valid token, and a number to send from',
      withoutIt: 'GRAPH_URL and GRAPH_ACCESS_TOKEN, if alerts should use it',
      nextStep: 'Set the names under "graph" in docs/configuration.md.',
      ask: async (graph) => {
        if (graph.businessAccountId !== undefined)
          return phoneNumbers(graph, await listPhoneNumbers(graph, graph.businessAccountId));
        if (graph.userId === undefined)
          throw new InputError(
            'neither GRAPH_BUSINESS_ACCOUNT_ID nor GRAPH_USER_ID is set, so nothing can be checked',
            {
              nextStep: 'Set GRAPH_BUSINESS_ACCOUNT_ID or GRAPH_USER_ID.',
            },
          );
        return `${count((await permissions(graph, graph.userId)).length, 'permission')} found`;
      },
    }),
    checkArea(offline, watched(areas.container), {
      name: 'container',
      isRare: true,
      expected: 'a login and a health report',
      withoutIt: 'CONTAINER_URL and its login, if you use a container; alerts do not need it',
      nextStep: 'Set the names under "container" in docs/configuration.md.',
      ask: async (container) => {
        const session = openSession(container);
        await session.login();
        const { health } = await containerStatus(container, session);
        return health === undefined ? 'logged in; a health report is not offered' : 'logged in, health reported';
      },
    }),
  ]);
  return [
    ...checks.flat(),
    ...developerToken(areas.ads),
    ...checkRecipients(areas),
    ...checkProxy(areas),
    ...checkSkew(dates),
  ];
}

function refuseUnchosen(accounts: readonly ListedAccount[]): void {
  const failed = accounts.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) throw new Error(failed.failure);
  const isChosen = accounts.some(({ chosen, manager }) => chosen && !manager);
  if (isChosen) return;
  throw new InputError('ads.accounts_query chose no account', {
    nextStep: 'Run pacekeeper accounts to see all accounts. Then change the query or the labels.',
  });
}

function asAccount({ serviceAccount, ads }: AreasApp['settings']): string {
  if (serviceAccount === undefined) return '';
  const user = ads.impersonatedEmail === undefined ? '' : ` for ${ads.impersonatedEmail}`;
  return ` as ${serviceAccount.clientEmail}${user}`;
}

function watching(http: HttpClient, dates: DateSeen[], nowMs: () => number): HttpClient {
  return {
    ...http,
    async send(request) {
      const askedMs = nowMs();
      const answer = await http.send(request);
      const { date } = answer.headers;
      if (date !== undefined) dates.push({ host: new URL(request.url).host, date, ownMs: (askedMs + nowMs()) / 2 });
      return answer;
    },
  };
}

async function checkArea<Connection extends { readonly url: string }>(
  offline: boolean,
  connection: Connection | undefined,
  area: Area<Connection>,
): Promise<Check[]> {
  const { name, expected, ask } = area;
  if (connection === undefined && area.isRare) {
    return [ok(name, { found: 'not configured, and not needed', expected: area.withoutIt })];
  }
  if (connection === undefined)
    return [missing(name, { found: 'not configured', expected: area.withoutIt, nextStep: area.nextStep })];
  if (offline) return [ok(name, { found: `${connection.url}, not contacted`, expected })];
  try {
    const answer = await ask(connection);
    const { found, nextStep } = typeof answer === 'string' ? { found: answer, nextStep: undefined } : answer;
    const told = { found: `${connection.url}: ${found}`, expected };
    return [nextStep === undefined ? ok(name, told) : missing(name, { ...told, nextStep })];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const advice = error instanceof ApiError || error instanceof InputError ? error.nextStep : undefined;
    const nextStep =
      advice ??
      `Check the address and the credentials of ${name} (docs/configuration.md). Then run pacekeeper doctor again.`;
    return [failed(name, { found: `${connection.url}: ${error.message}`, expected, nextStep })];
  }
}

function phoneNumbers(
  { phoneNumberId }: GraphConnection,
  numbers: Awaited<ReturnType<typeof listPhoneNumbers>>,
): string {
  if (phoneNumberId === undefined || numbers.some(({ id }) => id === phoneNumberId)) {
    return `${count(numbers.length, 'phone number')}`;
  }
  throw new ApiError(
    `GRAPH_PHONE_NUMBER_ID is not among the ${count(numbers.length, 'number')} of the business account.`,
    {
      status: 'NO_SENDER',
      outcome: 'not_processed',
      transient: false,
      nextStep: 'Set it to one that pacekeeper graph phone-numbers lists.',
    },
  );
}

function developerToken(ads: AdsConnection | undefined): Check[] {
  if (ads === undefined) return [];
  const found = ads.developerToken === undefined ? 'not set, and not needed' : 'set, and sent with every request';
  return [ok('developer token', { found, expected: 'only a token that a service still demands' })];
}

function checkRecipients({ settings }: AreasApp): Check[] {
  const { recipients } = alertsOf(settings, liveAreas(settings));
  const expected = 'at least one recipient';
  if (recipients.length > 0) return [ok('recipients', { found: count(recipients.length, 'recipient'), expected })];
  const nextStep = 'Set alerts.recipients in pacekeeper.yaml, or MESSAGES_TO (docs/alerts.md).';
  return [missing('recipients', { found: 'no recipients, so alerts reach nobody', expected, nextStep })];
}

function checkProxy({ settings: { proxy } }: AreasApp): Check[] {
  if (proxy === undefined) return [];
  const hosts = [proxy.https, proxy.http].flatMap((address) => (address === undefined ? [] : [new URL(address).host]));
  const bypass = proxy.bypass === '' ? '' : `, except for ${proxy.bypass}`;
  const found = `requests go through ${[...new Set(hosts)].join(' and ')}${bypass}`;
  return [ok('proxy', { found, expected: 'as set in the environment' })];
}

/** `ownMs` is this machine's clock, halfway between request and answer. */
interface DateSeen {
  readonly host: string;
  readonly date: string;
  readonly ownMs: number;
}

const WARN_S = 30;
/** In seconds. With a larger difference, services refuse tokens and signatures. */
const FAIL_S = 300;

/** A service's clock can be wrong, too, so the smallest difference counts. */
function checkSkew(dates: readonly DateSeen[]): Check[] {
  const offs = dates.flatMap(({ host, date, ownMs }) => {
    const theirs = Date.parse(date);
    return Number.isNaN(theirs) ? [] : [{ host, seconds: Math.round((ownMs - theirs) / 1000) }];
  });
  const [nearest] = offs.toSorted((one, other) => Math.abs(one.seconds) - Math.abs(other.seconds));
  if (nearest === undefined) return [];
  const apart = Math.abs(nearest.seconds);
  const expected = `a clock less than ${WARN_S} seconds ahead of or behind a service`;
  if (apart < WARN_S) return [ok('clock', { found: `same time as ${nearest.host}`, expected })];
  const found = `${spanText(apart)} ${nearest.seconds > 0 ? 'ahead of' : 'behind'} ${nearest.host}`;
  const nextStep = 'Synchronise the clock of this machine with the network (timedatectl set-ntp true).';
  return [(apart < FAIL_S ? warning : failed)('clock', { found, expected, nextStep })];
}

function spanText(seconds: number): string {
  if (seconds < 120) return count(seconds, 'second');
  if (seconds < 2 * 3600) return count(Math.round(seconds / 60), 'minute');
  return seconds < 2 * 86_400 ? count(Math.round(seconds / 3600), 'hour') : count(Math.round(seconds / 86_400), 'day');
}
