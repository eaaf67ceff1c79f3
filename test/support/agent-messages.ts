const MODERN = '2026-07-28';
const INFO = { name: 'test desk', version: '7.1' };

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** One call of a tool, as the newer protocol sends it. */
export const callMessage = (name: string, input: Readonly<Record<string, unknown>> = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input, _meta: META },
});

export const LIST_MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } };

/** The headers that repeat a message, and by which a proxy can choose. */
export function headersOf(message: unknown): Record<string, string> {
  const { method = '', params } = message as { readonly method?: string; readonly params?: { readonly name?: string } };
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(params?.name === undefined ? {} : { 'mcp-name': params.name }),
  };
}
