import { tokenUseMs } from '../../http/token-use.ts';
import type { ContainerConnection } from './container-connection.ts';
import { type ContainerLogin, logIn, notMade } from './log-in.ts';

/** Where requests to the container get their token (requirement D2). */
export interface ContainerSession {
  /** The login that is valid now; a new one shortly before the old one ends. */
  login(): Promise<ContainerLogin>;
  /** After a 401 on `refused`: another login, unless somebody else has it already. */
  renew(refused: string): Promise<ContainerLogin>;
}

/**
 * A session in memory: a token is never written anywhere. Its logins throw `ApiError`, never with an unknown outcome, and
 * are not repeated: whoever makes the request that needs one repeats both.
 */
export function openSession(container: ContainerConnection): ContainerSession {
  let current: ContainerLogin | undefined;
  let usedUntilMs = 0;
  let loggingIn: Promise<ContainerLogin> | undefined;

  const logInAgain = async (): Promise<ContainerLogin> => {
    try {
      current = await logIn(container);
      const nowMs = container.clock.now();
      usedUntilMs = nowMs + tokenUseMs(current.expiresAtMs - nowMs);
      return current;
    } catch (error) {
      throw notMade(error);
    }
  };
  // Requests that start at the same moment share one login.
  const logInOnce = (): Promise<ContainerLogin> => {
    loggingIn ??= logInAgain().finally(() => {
      loggingIn = undefined;
    });
    return loggingIn;
  };
  return {
    async login() {
      const fresh = current && container.clock.now() < usedUntilMs;
      return fresh && current ? current : logInOnce();
    },
    async renew(refused) {
      return current && current.token !== refused ? current : logInOnce();
    },
  };
}
