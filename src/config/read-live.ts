import type { Env } from './area-problems.ts';
import { LIVE_NAMES } from './live-names.ts';
import { proxySecrets } from './proxy-secrets.ts';
import { readAds } from './read-ads.ts';
import { readContainer } from './read-container.ts';
import { readGraph } from './read-graph.ts';
import { readMessages } from './read-messages.ts';
import { readServe } from './read-serve.ts';
import { SECRET_NAMES } from './secret-names.ts';
import type { TargetSettings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

/** The live areas. What is missing or malformed goes to `problems`. */
export function readLive(file: SettingsFile, env: Env, problems: string[]): TargetSettings {
  const areas = {
    ads: readAds(file, env, problems),
    messages: readMessages(file, env, problems),
    graph: readGraph(file, env, problems),
    container: readContainer(file, env, problems),
  };
  const { secrets } = readServe(file, env, []);
  if (problems.length === 0 && Object.values({ ...areas, ...secrets }).every((part) => part === undefined)) {
    problems.push('The target is live, and no interface is configured: ADS_URL is missing, for one.');
  }
  return { kind: 'live', ...areas };
}

/** Every secret value of the file and the environment, used or not. */
export function secretsOf(file: SettingsFile, env: Env): string[] {
  const { ads, messages, graph, container, heartbeat } = file;
  const values = [
    ...[ads.access_token, ads.client_secret, ads.refresh_token, ads.developer_token, messages.password],
    ...[graph.access_token, graph.app_secret, graph.verify_token, container.password, heartbeat.url],
  ];
  return [...SECRET_NAMES.map(env), ...values, ...proxySecrets(env)].filter((value) => value !== undefined);
}

/** How often to try again, how long to wait, what queries are checked against and what proves a webhook holds for the sandbox, too. */
const FOR_BOTH_TARGETS = ['retry', 'timeouts', 'catalogue', 'app_secret', 'verify_token'];

/** Live settings beside the sandbox are never used, and never silently so. */
export function ignoredNotes(file: SettingsFile, env: Env): string[] {
  const named = LIVE_NAMES.filter((name) => env(name) !== undefined);
  const { ads, messages, graph, container } = file;
  const inFile = Object.entries({ ads, messages, graph, container }).flatMap(([area, values]) =>
    Object.keys(values).flatMap((key) => (FOR_BOTH_TARGETS.includes(key) ? [] : `${area}.${key}`)),
  );
  const all = [...named, ...inFile];
  if (all.length === 0) return [];
  return [`The target is the sandbox, so live settings are not used: ${all.join(', ')}. Set target: live to use them.`];
}
