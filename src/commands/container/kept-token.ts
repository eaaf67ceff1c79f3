import { randomBytes, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import type { ContainerConnection, ContainerLogin, KeptLogin } from '../../services/container/session.ts';
import { TOKEN } from '../../services/http/token-use.ts';
import { ownNextPath, replaceText } from '../../storage/files/replace-file.ts';

const fileShape = z.object({
  /** Identifies the login: another address, user or password needs a new token. Slow, so that nobody guesses the password. */
  of: z.string(),
  salt: z.string(),
  token: z.string().regex(TOKEN),
  expiresAtMs: z.number(),
  version: z.string().optional(),
  apiStatus: z.string().optional(),
});

/** Keeps the token between commands (requirement D2). Only its owner may read the file. */
export function keptToken(dataDir: string, { url, username, password, redact }: ContainerConnection): KeptLogin {
  const path = join(dataDir, 'container-token.json');
  const digest = (salt: string) => scryptSync(JSON.stringify([url, username, password]), salt, 32).toString('hex');
  return {
    read(): ContainerLogin | undefined {
      const kept = fileShape.safeParse(parseJson(textOf(path))).data;
      if (kept === undefined || kept.of !== digest(kept.salt)) return undefined;
      redact.learn(kept.token, 'container_token');
      return { ...kept, version: kept.version, apiStatus: kept.apiStatus };
    },
    write(login: ContainerLogin): void {
      try {
        const salt = randomBytes(16).toString('hex');
        const text = `${JSON.stringify({ of: digest(salt), salt, ...login })}\n`;
        replaceText(path, () => text, { mode: 0o600, next: ownNextPath(path) });
      } catch {
        // Without a writable data folder, each command logs in.
      }
    },
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
