import type { FaultPlace } from '../domain/fault-text.ts';
import type { SandboxRequest } from './read-request.ts';

/** Which requests a fault may meet. */
export const FAULT_PLACES = {
  any: () => true,
  stream: ({ kind }) => kind === 'stream',
  search: ({ kind }) => kind === 'search',
  list: ({ kind }) => kind === 'list',
  validate: ({ kind, validateOnly }) => kind === 'mutate' && validateOnly === true,
  mutate: ({ kind, validateOnly }) => kind === 'mutate' && validateOnly !== true,
  token: ({ kind }) => kind === 'token',
  message: ({ kind }) => kind === 'message' || kind === 'graph_send',
  lookup: ({ kind }) => kind === 'message_list' || kind === 'message_fetch',
} as const satisfies Readonly<Record<FaultPlace, (request: SandboxRequest) => boolean>>;
