/** A token that was given, as a header can carry it: visible signs of ASCII, without spaces (RFC 9110). */
export const TOKEN = /^[\x21-\x7e]+$/;

const LEFT_OVER_MS = 120_000;

/**
 * How long a token is used that lives so long, milliseconds: until two minutes before its end, so that none ends on its way,
 * or for three quarters of a short life, so that it serves more than one request.
 */
function tokenUseMs(livesMs: number): number {
  return livesMs - Math.min(LEFT_OVER_MS, livesMs / 4);
}

/**
 * Keeps a login and its token, by a clock in milliseconds: the one that is valid now, and a new one shortly before the old one
 * ends. Requests that start at the same moment share one login.
 */
export function keepToken<Login extends { readonly token: string }>(
  nowMs: () => number,
  logIn: () => Promise<{ readonly login: Login; readonly livesMs: number }>,
) {
  let current: { readonly login: Login; readonly usedUntilMs: number } | undefined;
  let loggingIn: Promise<Login> | undefined;
  const logInAgain = async (): Promise<Login> => {
    const { login, livesMs } = await logIn();
    current = { login, usedUntilMs: nowMs() + tokenUseMs(livesMs) };
    return login;
  };
  const logInOnce = (): Promise<Login> => {
    loggingIn ??= logInAgain().finally(() => {
      loggingIn = undefined;
    });
    return loggingIn;
  };
  return {
    login: async () => (current && nowMs() < current.usedUntilMs ? current.login : logInOnce()),
    /** After a 401 on `refused`: another login, unless somebody else has it already. */
    renew: async (refused: string) => (current && current.login.token !== refused ? current.login : logInOnce()),
  };
}
