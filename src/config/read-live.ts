import type { Env } from './area-problems.ts';
import { proxySecrets } from './proxy-secrets.ts';
import { readAds } from './read-ads.ts';
import { readContainer } from './read-container.ts';
import { readGraph } from './read-graph.ts';
import { readMessages } from './read-messages.ts';
import { readServe } from './read-serve.ts';
import { SECTIONS } from './registry/sections.ts';
import { SECRET_NAMES, SECRET_PATHS } from './secret-names.ts';
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
  const inFile = SECRET_PATHS.map((path) => textAt(file, path));
  return [...SECRET_NAMES.map(env), ...inFile, ...proxySecrets(env)].filter((value) => value !== undefined);
}

function textAt(file: SettingsFile, path: string): string | undefined {
  let found: unknown = file;
  for (const key of path.split('.')) found = (found as Readonly<Record<string, unknown>> | undefined)?.[key];
  return typeof found === 'string' ? found : undefined;
}

const OF_LIVE_AREAS = SECTIONS.filter(({ live }) => live).flatMap(({ settings }) => settings);
const IGNORED_NAMES = OF_LIVE_AREAS.filter(({ bothTargets }) => !bothTargets).flatMap(({ env = [] }) => env);

/** How often to try again, how long to wait, what queries are checked against and what proves a webhook holds for the sandbox, too. */
const FOR_BOTH_TARGETS = new Set(
  OF_LIVE_AREAS.flatMap(({ path, bothTargets }) => (bothTargets && path ? [path.split('.', 2).join('.')] : [])),
);

/** Live settings beside the sandbox are never used, and never silently so. */
export function ignoredNotes(file: SettingsFile, env: Env): string[] {
  const named = IGNORED_NAMES.filter((name) => env(name) !== undefined);
  const { ads, messages, graph, container } = file;
  const inFile = Object.entries({ ads, messages, graph, container }).flatMap(([area, values]) =>
    Object.keys(values)
      .map((key) => `${area}.${key}`)
      .filter((path) => !FOR_BOTH_TARGETS.has(path)),
  );
  const all = [...named, ...inFile];
  if (all.length === 0) return [];
  return [`The target is the sandbox, so live settings are not used: ${all.join(', ')}. Set target: live to use them.`];
}
