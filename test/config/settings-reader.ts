import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { configPath, NO_SETTINGS, type PathOptions, settingsFrom } from '../../src/config/read-settings.ts';
import { readSettingsFile } from '../../src/config/read-settings-file.ts';
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
  const folder = tempDir();
  if (config === undefined) return settingsFrom(folder, options, environment, NO_SETTINGS);
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  return settingsFrom(folder, options, environment, readSettingsFile(configPath(folder, options)));
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

/** The problems of live settings, one each. */
export function problemsOf(environment: Environment, config?: string): string[] {
  const { message } = failure(() => live(environment, config));
  const [head, ...problems] = message.split('\n');
  expect(head).toBe('The settings cannot be used:');
  return problems.map((problem) => problem.replace(/^ {2}- /, ''));
}

export function adsOf(settings: Settings) {
  if (settings.target.kind !== 'live' || !settings.target.ads) throw new Error('no ads');
  return settings.target.ads;
}

export function messagesOf(settings: Settings) {
  if (settings.target.kind !== 'live' || !settings.target.messages) throw new Error('no messages');
  return settings.target.messages;
}

export function graphOf(settings: Settings) {
  if (settings.target.kind !== 'live' || !settings.target.graph) throw new Error('no graph');
  return settings.target.graph;
}

export function containerOf(settings: Settings) {
  if (settings.target.kind !== 'live' || !settings.target.container) throw new Error('no container');
  return settings.target.container;
}
