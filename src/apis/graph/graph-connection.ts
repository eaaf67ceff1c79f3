import * as z from 'zod';
import type { RetryPolicy } from '../../domain/connection-settings.ts';
import { type BusinessAccountId, type GraphUserId, isGraphId, type PhoneNumberId } from '../../domain/ids.ts';
import type { Log, Pauses } from '../../domain/ports.ts';
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

/** An identifier in an answer: text, or a number where it is small enough to be exact. */
export const graphIdText = z
  .union([z.string(), z.number().int().transform(String)])
  .refine(isGraphId, 'an identifier of digits');
