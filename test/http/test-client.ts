import { onTestFinished } from 'vitest';
import { ApiError } from '../../src/domain/errors.ts';
import { createHttpClient, type HttpClient, type HttpTimeouts } from '../../src/services/http/http-client.ts';

/** A real client whose connections are gone when the test ends. */
export function testClient(timeouts?: HttpTimeouts): HttpClient {
  const http = createHttpClient(timeouts);
  onTestFinished(() => http.close());
  return http;
}

/** The `ApiError` that the work must end with. */
export async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const end = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in end && end.error instanceof ApiError) return end.error;
  throw new Error('Expected an ApiError.', { cause: 'error' in end ? end.error : end.value });
}
