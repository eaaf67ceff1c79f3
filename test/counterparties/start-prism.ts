import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PACKAGES = join(import.meta.dirname, 'node_modules');
const DESCRIPTION = '@twilio/cli-core/src/services/twilio-api/twilio_api_v2010.json';
const PROXY = '@stoplight/prism-cli/dist/index.js';

const MESSAGES = '/2010-04-01/Accounts/{AccountSid}/Messages.json';
const MESSAGE = '/2010-04-01/Accounts/{AccountSid}/Messages/{Sid}.json';

interface Description {
  readonly paths: Readonly<Record<string, PathDescription>>;
}
interface PathDescription {
  readonly get?: { readonly responses: Readonly<Record<string, { readonly content: Contents }>> };
  readonly post?: { readonly requestBody: { readonly content: Contents } };
}
type Contents = Readonly<
  Record<string, { encoding?: object; readonly schema: { readonly properties: Record<string, { format?: string }> } }>
>;

/** A proxy that refuses what is not as the provider describes it, with 422, and answers that are not, with 500. */
export interface Prism {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the proxy before `upstream`; `folder` takes the description it works by. */
export async function startPrism(upstream: string, folder: string): Promise<Prism> {
  const description = join(folder, 'messages.json');
  writeFileSync(description, JSON.stringify(describeMessages()));
  const settings = ['--errors', '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, [join(PACKAGES, PROXY), 'proxy', description, upstream, ...settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = () => {
    child.kill();
    return ended;
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
    // What it says later is dropped, or it would wait for a reader.
    if (url !== undefined) child.stdout.resume();
    if (url !== undefined) return { url, close };
  }
  throw new Error('The proxy ended before it listened.');
}

/** The provider's description of messages, with the two gaps of the README filled. */
function describeMessages(): object {
  const whole: Description = JSON.parse(readFileSync(join(PACKAGES, DESCRIPTION), 'utf8'));
  const { [MESSAGES]: list, [MESSAGE]: one } = whole.paths;
  const form = list?.post?.requestBody.content['application/x-www-form-urlencoded'];
  const page = list?.get?.responses['200']?.content['application/json'];
  if (!form || !page || !one) throw new Error('The description does not describe messages.');
  form.encoding = { ...form.encoding, MediaUrl: { style: 'form', explode: true } };
  for (const property of Object.values(page.schema.properties)) {
    if (property.format === 'uri') property.format = 'uri-reference';
  }
  return { ...whole, paths: { [MESSAGES]: list, [MESSAGE]: one } };
}
