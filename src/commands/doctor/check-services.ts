import type { Channel, ChannelCheck, ChannelConnection } from '../../channels/channel.ts';
import { CHANNELS, type ChannelConnections } from '../../channels/channels.ts';
import { alertsOf } from '../../config/alert-settings.ts';
import { liveAreas } from '../../config/live-areas.ts';
import { ApiError, InputError } from '../../domain/errors.ts';
import { listed } from '../../domain/wording.ts';
import type { AreasApp } from '../../engine/app.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { listAccessibleCustomers } from '../../services/ads/list-accounts.ts';
import { containerStatus } from '../../services/container/container-status.ts';
import { openSession } from '../../services/container/session.ts';
import type { HttpClient } from '../../services/http/http-client.ts';
import { count } from '../../views/text/text-layout.ts';
import type { ListedAccount } from '../accounts/run-accounts.ts';
import { listAccounts } from '../accounts/run-accounts.ts';
import { type Check, checkIn } from './doctor-view.ts';

const check = checkIn('services');

interface Area<Connection> extends ChannelCheck<Connection> {
  readonly name: string;
}

/** The requests cost nothing and change nothing. */
export async function checkServices(areas: AreasApp, offline: boolean, nowMs: () => number): Promise<Check[]> {
  const dates: DateSeen[] = [];
  const watched = <Connection extends ChannelConnection>(one: Connection | undefined) =>
    one?.http ? { ...one, http: watching(one.http, dates, nowMs) } : one;
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
    ...CHANNELS.map(async ({ name, load }: Channel) => {
      const channel = await load();
      return checkArea(offline, watched(areas[name as keyof ChannelConnections]), { ...channel.check, name });
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
    ...checks,
    ...developerToken(areas.ads),
    checkRecipients(areas),
    ...checkTemplates(areas),
    ...checkProxy(areas),
    ...checkSkew(dates),
  ];
}

function refuseUnchosen(accounts: readonly ListedAccount[]): void {
  const failed = accounts.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) throw new Error(failed.failure);
  if (accounts.some(({ chosen, manager }) => chosen && !manager)) return;
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
): Promise<Check> {
  const { name, expected, ask, withoutIt } = area;
  if (connection === undefined) {
    const found = area.isRare ? 'not configured, and not needed' : 'not configured';
    const advice = area.isRare ? undefined : area.nextStep;
    return check(name, { found, expected: withoutIt, advice, as: 'missing' });
  }
  if (offline) return check(name, { found: `${connection.url}, not contacted`, expected });
  try {
    const answer = await ask(connection);
    const { found, nextStep: advice } = typeof answer === 'string' ? { found: answer, nextStep: undefined } : answer;
    return check(name, { found: `${connection.url}: ${found}`, expected, advice, as: 'missing' });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const own = error instanceof ApiError || error instanceof InputError ? error.nextStep : undefined;
    const advice =
      own ??
      `Check the address and the credentials of ${name} (docs/configuration.md). Then run pacekeeper doctor again.`;
    return check(name, { found: `${connection.url}: ${error.message}`, expected, advice, as: 'failed' });
  }
}

function developerToken(ads: AdsConnection | undefined): Check[] {
  if (ads === undefined) return [];
  const found = ads.developerToken === undefined ? 'not set, and not needed' : 'set, and sent with every request';
  return [check('developer token', { found, expected: 'only a token that a service still demands' })];
}

function checkRecipients({ settings }: AreasApp): Check {
  const { length } = alertsOf(settings, liveAreas(settings)).recipients;
  return check('recipients', {
    found: length > 0 ? count(length, 'recipient') : 'no recipients, so alerts reach nobody',
    expected: 'at least one recipient',
    advice: length > 0 ? undefined : 'Set alerts.recipients in pacekeeper.yaml, or MESSAGES_TO (docs/alerts.md).',
    as: 'missing',
  });
}

/** One check for each channel with a reply window and recipients. */
function checkTemplates(areas: AreasApp): Check[] {
  const { recipients } = alertsOf(areas.settings, liveAreas(areas.settings));
  return CHANNELS.flatMap(({ name, templatesOf }: Channel) => {
    const area = areas[name as keyof ChannelConnections];
    const templates = area && templatesOf?.(area);
    if (templates === undefined || !recipients.some(({ addresses }) => addresses.has(name))) return [];
    const { set, missing } = templates;
    return check(`${name} templates`, {
      found: set.length === 0 ? 'none' : `${set.join(', ')}; only alerts show whether the provider approved them`,
      expected: 'a template for each kind of alert, because 24 hours after a recipient wrote, only templates arrive',
      advice:
        missing.length === 0
          ? undefined
          : `Set ${name}.templates.default, or one for ${listed(missing)} (docs/alerts.md).`,
    });
  });
}

function checkProxy({ settings: { proxy } }: AreasApp): Check[] {
  if (proxy === undefined) return [];
  const hosts = [proxy.https, proxy.http].flatMap((address) => (address === undefined ? [] : [new URL(address).host]));
  const bypass = proxy.bypass === '' ? '' : `, except for ${proxy.bypass}`;
  const found = `requests go through ${[...new Set(hosts)].join(' and ')}${bypass}`;
  return [check('proxy', { found, expected: 'as set in the environment' })];
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
  const isRight = apart < WARN_S;
  const side = nearest.seconds > 0 ? 'ahead of' : 'behind';
  const advice = 'Synchronise the clock of this machine with the network (timedatectl set-ntp true).';
  return [
    check('clock', {
      found: isRight ? `same time as ${nearest.host}` : `${spanText(apart)} ${side} ${nearest.host}`,
      expected: `a clock less than ${WARN_S} seconds ahead of or behind a service`,
      advice: isRight ? undefined : advice,
      as: apart < FAIL_S ? 'warning' : 'failed',
    }),
  ];
}

function spanText(seconds: number): string {
  if (seconds < 120) return count(seconds, 'second');
  if (seconds < 2 * 3600) return count(Math.round(seconds / 60), 'minute');
  return seconds < 2 * 86_400 ? count(Math.round(seconds / 3600), 'hour') : count(Math.round(seconds / 86_400), 'day');
}
