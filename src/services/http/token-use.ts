import { ApiError } from '../../domain/errors.ts';

/** Visible ASCII characters, which are valid in a header (RFC 9110). */
export const TOKEN = /^[\x21-\x7e]+$/;

const LEFT_OVER_MS = 120_000;

/** Returns milliseconds. Renewal is early, so that a token does not expire during a request. */
function tokenUseMs(livesMs: number): number {
  return livesMs - Math.min(LEFT_OVER_MS, livesMs / 4);
}

/** `earlier` is from an earlier process. Concurrent requests share one login. If the login fails, the outcome of the request is `not_processed`. */
export function keepToken<Login extends { readonly token: string }>(
  nowMs: () => number,
  logIn: () => Promise<{ readonly login: Login; readonly livesMs: number }>,
  earlier?: { readonly login: Login; readonly livesMs: number },
) {
  let current =
    earlier && earlier.livesMs > LEFT_OVER_MS
      ? { login: earlier.login, usedUntilMs: nowMs() + tokenUseMs(earlier.livesMs) }
      : undefined;
  let loggingIn: Promise<Login> | undefined;
  const logInAgain = async (): Promise<Login> => {
    const { login, livesMs } = await logIn();
    current = { login, usedUntilMs: nowMs() + tokenUseMs(livesMs) };
    return login;
  };
  const logInOnce = (): Promise<Login> => {
    loggingIn ??= logInAgain()
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.outcome === 'not_processed') throw error;
        throw new ApiError(error.message, { ...error, outcome: 'not_processed', cause: error });
      })
      .finally(() => {
        loggingIn = undefined;
      });
    return loggingIn;
  };
  return {
    login: async () => (current && nowMs() < current.usedUntilMs ? current.login : logInOnce()),
    /** Logs in again, unless another request has already renewed the token. */
    renew: async (refused: string) => (current && current.login.token !== refused ? current.login : logInOnce()),
  };
}
