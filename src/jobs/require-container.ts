import type { ContainerConnection } from '../apis/container/container-connection.ts';
import type { AreasApp } from '../app.ts';
import { InputError } from '../domain/errors.ts';

/** The container. Throws `InputError` where it is not configured; `without` says what cannot be done then. */
export function requireContainer({ container }: Pick<AreasApp, 'container'>, without: string): ContainerConnection {
  if (container) return container;
  throw new InputError(`The container is not configured, so ${without}.`, {
    nextStep: 'Set CONTAINER_URL, CONTAINER_USERNAME and CONTAINER_PASSWORD; docs/configuration.md lists them.',
  });
}
