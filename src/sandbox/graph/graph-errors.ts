import { jsonReply, type Reply } from '../reply.ts';

/** Area A's error object (section 7.1); `requestId` becomes its trace id. */
function graphError(
  status: number,
  error: { readonly message: string; readonly type: string; readonly code: number; readonly error_subcode?: number },
  requestId: string,
): Reply {
  return jsonReply(status, { error: { ...error, fbtrace_id: requestId } });
}

export function unknownPath(path: string, requestId: string): Reply {
  const message = `Unknown path components: ${path}`;
  return graphError(400, { message, type: 'OAuthException', code: 2500 }, requestId);
}

export function unsupportedObject(method: string, id: string, requestId: string): Reply {
  const message =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing ` +
    'permissions, or does not support this operation.';
  return graphError(400, { message, type: 'GraphMethodException', code: 100, error_subcode: 33 }, requestId);
}

export function badToken(message: string, requestId: string): Reply {
  return graphError(401, { message, type: 'OAuthException', code: 190 }, requestId);
}

export function badProof(requestId: string): Reply {
  const message = 'Invalid appsecret_proof provided in the API argument';
  return graphError(400, { message, type: 'GraphMethodException', code: 100 }, requestId);
}

export function badParameter(sentence: string, requestId: string): Reply {
  return graphError(400, { message: `(#100) ${sentence}`, type: 'OAuthException', code: 100 }, requestId);
}

/** What a phone or its rate brings about, before anything was taken. */
export function refusedByPhone(code: 131026 | 131056, requestId: string): Reply {
  const title = { 131026: 'Message undeliverable', 131056: '(Business Account, Consumer Account) pair rate limit hit' };
  return graphError(400, { message: `(#${code}) ${title[code]}`, type: 'OAuthException', code }, requestId);
}
