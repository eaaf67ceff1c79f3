import { checkUrl, type Env } from './area-problems.ts';
import type { ServeSettings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

const DEFAULT_PORT = 4020;

/** Where webhooks are received and what proves where they come from. Problems go to `problems`. */
export function readServe(file: SettingsFile, env: Env, problems: string[]): ServeSettings {
  const { serve, graph } = file;
  const port = env('SERVE_PORT') ?? String(serve.port ?? DEFAULT_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    problems.push(`SERVE_PORT is "${port}", expected a number from 0 (any free port) to 65535.`);
  }
  const host = env('SERVE_HOST') ?? serve.host ?? '127.0.0.1';
  if (!/^[A-Za-z0-9.:_-]+$/.test(host)) {
    problems.push(`SERVE_HOST is "${host}", expected an address of this machine such as 127.0.0.1.`);
  }
  const publicUrl = env('SERVE_PUBLIC_URL') ?? serve.public_url;
  return {
    host,
    port: Number(port),
    trustProxy: readTrust(env('SERVE_TRUST_PROXY'), problems) ?? serve.trust_proxy ?? false,
    publicUrl: publicUrl === undefined ? undefined : checkUrl('SERVE_PUBLIC_URL', publicUrl, problems),
    secrets: {
      graphApp: env('GRAPH_APP_SECRET') ?? graph.app_secret,
      graphVerify: env('GRAPH_VERIFY_TOKEN') ?? graph.verify_token,
      messages: env('MESSAGES_PASSWORD') ?? file.messages.password,
    },
  };
}

function readTrust(text: string | undefined, problems: string[]): boolean | undefined {
  if (text === undefined || text === 'true' || text === 'false')
    return text === undefined ? undefined : text === 'true';
  problems.push(`SERVE_TRUST_PROXY is "${text}", expected true or false.`);
  return undefined;
}
