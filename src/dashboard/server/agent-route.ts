import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AGENTS_PATH } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import { Refusal } from '../../services/http/received-request.ts';
import { type AgentDeps, agentServer } from '../agents/agent-server.ts';
import type { TokenStore } from './access-tokens.ts';
import { inTurn } from './in-turn.ts';
import { bearerToken, createLogIn } from './log-in.ts';
import { goneWith, HEADERS, hostOf } from './route.ts';

/** All that the door needs beside the name of the agent. */
export type AgentSource = Omit<AgentDeps, 'agent' | 'log'>;

interface AgentRouteDeps {
  readonly agents: AgentSource;
  readonly tokens: TokenStore;
  readonly log: Log;
  readonly publicUrl: string | undefined;
  ownAddress(): string;
  nowMs(): number;
}

const BODY_BYTES_MAX = 256 * 1024;
/** Lists and discovery count, too. Calls of tools have their own limit, which survives a restart. */
const REQUESTS = { max: 300, timeWindow: 60_000 };
const COMMANDS_WAITING_MAX = 20;

/**
 * Agents call tools here. Another site must not lead a browser here. So a request with a foreign `Origin` or `Host` is refused
 * before its token is looked at.
 */
export function agentRoute(server: FastifyInstance, deps: AgentRouteDeps): void {
  const { agents, tokens, log, publicUrl, nowMs } = deps;
  const logIn = createLogIn(server, { tokens, nowMs, publicUrl, right: 'call_tools' });
  const countRequest = server.createRateLimit({
    ...REQUESTS,
    keyGenerator: (request: FastifyRequest) => request.headers.authorization ?? '',
  });
  // Each command is a process. Agents share one at a time, so that they cannot take the machine from a run.
  const queue = inTurn(COMMANDS_WAITING_MAX);
  server.post(AGENTS_PATH, { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    refuseForeign(request, deps);
    const token = await bearerToken(logIn, request, reply);
    const counted = await countRequest(request);
    if (!counted.isAllowed && counted.isExceeded) {
      reply.header('retry-after', counted.ttlInSeconds);
      throw new Refusal(429, 'too many requests of this agent');
    }
    const isValid = async () => void (await bearerToken(logIn, request, reply));
    const runCommand: AgentSource['runCommand'] = async (args) => {
      const inTime = queue(async () => {
        await isValid();
        return agents.runCommand(args);
      });
      return (await inTime) ?? { exitCode: 1, text: BUSY };
    };
    const ofToken = { ...agents, agent: token.name, runCommand, log };
    const handler = createMcpHandler(() => agentServer(ofToken), {
      // Nothing here changes by itself, and a stream would never end.
      maxSubscriptions: 0,
      maxRequestBodySize: BODY_BYTES_MAX,
      onerror: ({ message }) => log.warn(`Agents: ${message}`),
    });
    const answer = await handler.fetch(asRequest(request, reply, deps.ownAddress()));
    const body = await answer.text();
    await handler.close();
    // The token may have been revoked during the call. Then the answer stays here.
    await isValid();
    return reply
      .code(answer.status)
      .headers({ ...HEADERS, ...jsonHeaders(answer) })
      .send(body);
  });
}

const BUSY = 'error: Too many commands of agents are waiting.\nnext step: Try again in a minute.\n';

function jsonHeaders({ headers }: Response): Readonly<Record<string, string>> {
  const type = headers.get('content-type');
  return type === null ? {} : { 'content-type': type };
}

function asRequest(request: FastifyRequest, reply: FastifyReply, address: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && name !== 'authorization') headers.set(name, value);
  }
  const body = request.body as Buffer;
  return new Request(new URL(AGENTS_PATH, address), { method: 'POST', headers, body, signal: goneWith(reply) });
}

const LOCAL = ['127.0.0.1', 'localhost', '[::1]'];

/** Another site can point its own name to this machine. Its `Host` then is that name. */
function refuseForeign(request: FastifyRequest, { publicUrl, ownAddress }: AgentRouteDeps): void {
  const { port, host: own } = new URL(ownAddress());
  const hosts = [own, ...LOCAL.map((name) => `${name}:${port}`), publicUrl === undefined ? own : hostOf(publicUrl)];
  const { origin } = request.headers;
  if (!hosts.includes(request.host))
    throw new Refusal(403, 'the Host is not this server. Set SERVE_PUBLIC_URL to the address that agents use');
  if (origin !== undefined && !hosts.includes(hostOf(origin))) throw new Refusal(403, 'the Origin is another site');
}
