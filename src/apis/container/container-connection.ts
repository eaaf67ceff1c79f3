import type { RetryPolicy } from '../../domain/connection-settings.ts';
import type { Clock, Log, Pauses } from '../../domain/ports.ts';
import type { HttpClient } from '../../http/http-client.ts';
import type { Redact } from '../../http/redact.ts';

/** One configured container (area D). */
export interface ContainerConnection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The header that carries the token: as a bearer in `Authorization`, bare in any other (requirement D3). */
  readonly tokenHeader: string;
  readonly clock: Clock;
  readonly http: HttpClient;
  readonly pauses: Pauses;
  readonly redact: Redact;
  /** Told of each pause before another try, for a person waits meanwhile. */
  readonly log?: Log;
  readonly retry: RetryPolicy;
}
