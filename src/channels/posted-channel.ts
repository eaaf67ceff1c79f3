import * as z from 'zod';
import type { RetryPolicy } from '../domain/connection-settings.ts';
import { group, setting } from '../language/settings/declare.ts';
import { retry, SHORT_NAME, secretAddress, shortName } from '../language/settings/forms.ts';
import { mapOr } from '../language/yaml/scalars.ts';
import type { Channel, Rehearsal } from './channel.ts';
import type { PostConnection, Sending } from './post-json.ts';

/** For interfaces that take alerts as JSON documents, at secret addresses that have names. */
export interface PostedArea {
  /** Without secrets. */
  readonly url: string;
  /** Secret: an address, a topic or a key. Undefined for a name that the settings lack. */
  addressOf(name: string): string | undefined;
  /** Names in the settings. Undefined if any name will do. */
  readonly names: readonly string[] | undefined;
}

export type PostedConnection<Area = PostedArea> = Area & PostConnection;

interface PostedParts<Name extends string, Declared extends { readonly retry: RetryPolicy }, Area extends PostedArea>
  extends Pick<Channel<Name, Declared, Area>, 'name' | 'title' | 'about' | 'settings' | 'areaOf'> {
  /** Needed settings with their variables. The first one has the names. */
  readonly needed: Readonly<Record<string, string>>;
  /** Meaning of a recipient's address, if it is no name from the settings. */
  readonly recipient?: string;
  rehearse(sandbox: Rehearsal): Area;
  sending(): Promise<{ readonly sending: Sending<Area> }>;
}

export function postedChannel<
  const Name extends string,
  Declared extends { readonly retry: RetryPolicy },
  Area extends PostedArea,
>(parts: PostedParts<Name, Declared, Area>): Channel<Name, Declared, Area, PostedConnection<Area>> {
  const { name, title, about, settings, areaOf, rehearse, needed, recipient, sending } = parts;
  const [key] = Object.keys(needed);
  const [firstVariable = ''] = Object.values(needed);
  const variables = Object.values(needed).join(' and ');
  const place = `${name}.${key}`;
  return {
    name,
    title,
    about,
    settings,
    areaOf,
    rehearse,
    recipientAddress: setting(shortName(), recipient ?? `Name from \`${place}\`; \`default\` if it has only one`),
    needed: () => Object.keys(needed),
    canSend: () => true,
    namedIn: ({ names }) => names && { setting: place, names },
    unusable: `${title} is not configured (${variables}).`,
    firstVariable,
    mask: (address) => `${name}:${address}`,
    connect: (area, { http, redact }) => ({ ...area, http, redact }),
    async load() {
      const [{ postedWork }, loaded] = await Promise.all([import('./post-json.ts'), sending()]);
      return postedWork({ name, place, variables }, loaded.sending);
    },
  };
}

/** A chat that takes alerts at the addresses of incoming webhooks. `meaning` and `about` are Markdown. */
export function chatChannel<const Name extends string>(
  chat: Pick<PostedParts<Name, { readonly retry: RetryPolicy }, PostedArea>, 'name' | 'title' | 'about' | 'sending'> & {
    readonly meaning: string;
    readonly variable: string;
  },
) {
  const { name, title, about, meaning, variable, sending } = chat;
  return postedChannel({
    name,
    title,
    about: `${about} Nobody can answer there: a link or a command decides.`,
    settings: group({
      webhooks: namedSecrets(secretAddress, meaning, variable),
      retry: retry('Attempts in total, as for `ads`. A message in doubt is sent once more, and says so'),
    }),
    needed: { webhooks: variable },
    areaOf: ({ webhooks }) => namedArea(webhooks),
    rehearse: ({ url }) => rehearsedArea(url, name),
    sending,
  });
}

/** One secret, or a map of names to secrets. */
export function namedSecrets(form: z.ZodType<string>, meaning: string, variable: string) {
  const named = z.record(shortName(), form).refine((map) => Object.keys(map).length > 0, 'at least one name');
  return setting(mapOr(named, form), `${meaning} They are secrets. A single one is called \`default\`.`, {
    env: [variable],
    secrecy: 'secret',
    named: SHORT_NAME,
  });
}

/** `server` is that of all addresses, if they have one. */
export function namedArea(
  declared: string | Readonly<Record<string, string>> | undefined,
  server?: string,
): PostedArea | undefined {
  if (declared === undefined) return undefined;
  const named = new Map(Object.entries(typeof declared === 'string' ? { default: declared } : declared));
  const [first = ''] = named.values();
  return { url: server ?? new URL(first).origin, addressOf: (name) => named.get(name), names: [...named.keys()] };
}

export function rehearsedArea(url: string, channel: string): PostedArea {
  return { url, addressOf: (name) => `${url}/posted/${channel}/${name}`, names: undefined };
}
