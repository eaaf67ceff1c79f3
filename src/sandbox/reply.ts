export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'batches'; readonly batches: Iterable<string>; readonly errorElement: string };
}

export const JSON_TYPE = 'application/json; charset=UTF-8';
export const HTML_TYPE = 'text/html; charset=UTF-8';

export function textReply(
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, headers: { 'content-type': contentType, ...headers }, body: { kind: 'text', text } };
}

export function jsonReply(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return textReply(status, JSON_TYPE, JSON.stringify(value), headers);
}

export function htmlPage(status: number, title: string, sentence: string): string {
  return `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${status} (${title})</title>\n<p><b>${status}.</b> ${sentence}\n</html>\n`;
}
