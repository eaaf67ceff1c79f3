import { SETTINGS } from './registry/sections.ts';

const SECRETS = SETTINGS.filter(({ value }) => value === 'secret');

/** Environment names whose values are secret. */
export const SECRET_NAMES: readonly string[] = SECRETS.flatMap(({ env = [] }) => env);

/** Where `pacekeeper.yaml` may hold secrets: keys with dots between. */
export const SECRET_PATHS: readonly string[] = SECRETS.flatMap(({ path = [] }) => path);
