/** Content types of media that reach a phone (facts: what works on the channel). */
const ATTACHED = new Set([
  ...['image/jpeg', 'image/png', 'image/webp'],
  ...['audio/ogg', 'audio/amr', 'audio/3gpp', 'audio/aac', 'audio/mpeg'],
  ...['video/mp4', 'application/pdf', 'application/msword'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ...['text/vcard', 'text/x-vcard'],
]);

/** The limits are named in megabytes; the smaller reading of the word is sure to pass. */
const BYTES_MAX = 16_000_000;
const IMAGE_BYTES_MAX = 5_000_000;

/** Why the channel would drop what has this content type and length, a sentence; undefined when it is attached. */
export function judgeMedia(name: string, contentType: string, contentLength: string | undefined): string | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '') return `${name} does not say its content type: the channel would silently drop it.`;
  if (!ATTACHED.has(type))
    return `${name} is ${shown(type)}: the channel would take the message and silently drop this.`;
  const bytesMax = type.startsWith('image/') ? IMAGE_BYTES_MAX : BYTES_MAX;
  const bytes = /^\d+$/.test(contentLength ?? '') ? Number(contentLength) : 0;
  if (bytes <= bytesMax) return undefined;
  return `${name} has ${bytes} bytes, and the channel drops ${type} of more than ${bytesMax}.`;
}

/** A foreign header in our own sentence. */
function shown(type: string): string {
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : 'of a content type that is none';
}
