import { expect } from 'vitest';
import type { PathOptions } from '../../src/config/folders.ts';
import { type Areas, liveAreas } from '../../src/config/live-areas.ts';
import { settingsFrom } from '../../src/config/read-settings.ts';
import type { Environment } from '../../src/config/setting-tree.ts';
import type { Settings } from '../../src/config/settings.ts';
import { InputError } from '../../src/domain/errors.ts';
import { tempDir } from '../support/temp-dir.ts';

export const ADS: Environment = { ADS_URL: 'https://ads.example.com', ADS_ACCESS_TOKEN: 'ya29.secret' };
export const REFRESH: Environment = {
  ADS_URL: 'https://ads.example.com',
  ADS_CLIENT_ID: 'client.apps',
  ADS_CLIENT_SECRET: 'GOCSPX-secret',
  ADS_REFRESH_TOKEN: '1//refresh',
};
export const MESSAGES: Environment = {
  MESSAGES_URL: 'https://messages.example.com',
  MESSAGES_ACCOUNT_ID: 'AC1',
  MESSAGES_USERNAME: 'user',
  MESSAGES_PASSWORD: 'password-1',
  MESSAGES_FROM: 'whatsapp:+4915100000000',
  MESSAGES_TO: 'whatsapp:+4915112345678, sms:+4915112345679',
};

export const GRAPH: Environment = { GRAPH_URL: 'https://graph.example.com', GRAPH_ACCESS_TOKEN: 'EAAG-secret' };
export const CONTAINER: Environment = {
  CONTAINER_URL: 'https://container.example.com',
  CONTAINER_USERNAME: 'admin',
  CONTAINER_PASSWORD: 'Passw0rd!',
};

export function read(environment: Environment = {}, config?: string, options: PathOptions = {}): Settings {
  return settingsFrom(tempDir(), options, environment, config ?? '');
}
export const live = (environment: Environment, config?: string) =>
  read({ PACEKEEPER_TARGET: 'live', ...environment }, config);

export function failure(act: () => unknown): InputError {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('The settings were taken.');
}

/** The problems of live settings, one each: those at their places in the file first. */
export function problemsOf(environment: Environment, config?: string): string[] {
  const { message, findings } = failure(() => live(environment, config));
  const [head, ...problems] = message.split('\n');
  expect(head).toMatch(
    problems.length > 0 ? /^The settings cannot be used:$/ : /^The configuration .* cannot be used\.$/,
  );
  const placed = findings.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message));
  return [...placed, ...problems.map((problem) => problem.replace(/^ {2}- /, ''))];
}

/** What was found of a live area. */
function areaOf<Area extends keyof Areas>(settings: Settings, area: Area): NonNullable<Areas[Area]> {
  const found = liveAreas(settings)[area];
  if (!found) throw new Error(`no ${area}`);
  return found;
}

export const adsOf = (settings: Settings) => areaOf(settings, 'ads');
export const messagesOf = (settings: Settings) => areaOf(settings, 'messages');
export const graphOf = (settings: Settings) => areaOf(settings, 'graph');
export const containerOf = (settings: Settings) => areaOf(settings, 'container');
