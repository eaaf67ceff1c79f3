import { checkUrl, type Env, missing, refuseVersion } from './area-problems.ts';
import type { ContainerSettings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

/** What every request carries in these is not ours to choose. */
const OTHER_HEADERS = [
  ...['accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
];

/** Area D; undefined when nothing of it is set. What is missing or malformed goes to `problems`. */
export function readContainer(file: SettingsFile, env: Env, problems: string[]): ContainerSettings | undefined {
  const { container } = file;
  const value = {
    CONTAINER_URL: env('CONTAINER_URL') ?? container.url,
    CONTAINER_USERNAME: env('CONTAINER_USERNAME') ?? container.username,
    CONTAINER_PASSWORD: env('CONTAINER_PASSWORD') ?? container.password,
  };
  const present = Object.entries(value).flatMap(([name, text]) => (text === undefined ? [] : [name]));
  if (present.length === 0) return undefined;
  for (const [name, text] of Object.entries(value)) if (text === undefined) problems.push(missing(name, present));
  const { CONTAINER_URL: address, CONTAINER_USERNAME: username, CONTAINER_PASSWORD: password } = value;
  const url = address === undefined ? undefined : checkUrl('CONTAINER_URL', address, problems);
  refuseVersion('CONTAINER_URL', url, /^v1$/, problems);
  // Basic authorization ends the name at its first colon.
  if (username?.includes(':')) problems.push('CONTAINER_USERNAME has a colon, expected a name without one.');
  const tokenHeader = container.token_header ?? 'Authorization';
  if (OTHER_HEADERS.includes(tokenHeader.toLowerCase())) {
    problems.push(`container.token_header is ${tokenHeader}, expected a header that carries nothing else.`);
  }
  if (!url || !username || !password) return undefined;
  return { url, username, password, tokenHeader };
}
