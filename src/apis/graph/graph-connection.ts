import type { Pauses } from '../../domain/clock.ts';
import type { BusinessAccountId, GraphUserId, PhoneNumberId } from '../../domain/graph-ids.ts';
import type { Log } from '../../domain/log.ts';
import type { RetryPolicy } from '../../domain/retry-policy.ts';
import type { HttpClient } from '../../http/http-client.ts';
import type { Redact } from '../../http/redact.ts';

/** One configured messaging interface of the graph (area A). */
export interface GraphConnection {
  /** Without a trailing slash and without a version. */
  readonly url: string;
  /** `v<major>.<minor>` (requirement A9). */
  readonly version: string;
  readonly accessToken: string;
  /** How the token is shown (requirement A10). */
  readonly tokenIn: 'header' | 'query';
  /** Each is wanted by the operations that name it. */
  readonly businessAccountId: BusinessAccountId | undefined;
  readonly phoneNumberId: PhoneNumberId | undefined;
  readonly userId: GraphUserId | undefined;
  /** Proves each request beside the token when it is known (`appsecret_proof`). */
  readonly appSecret: string | undefined;
  readonly http: HttpClient;
  readonly pauses: Pauses;
  readonly redact: Redact;
  /** Told of each pause before another try, for a person waits meanwhile. */
  readonly log?: Log;
  readonly retry: RetryPolicy;
}
