const PREFIX = 'agent:';

/** Also the name of a token. */
export const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** Stands in the place of a rule's name, which has no colon. */
export function ruleOfAgent(agent: string): string {
  return PREFIX + agent;
}

/** The agent that suggested the change. Undefined for a rule or target. */
export function agentOf(rule: string): string | undefined {
  return rule.startsWith(PREFIX) ? rule.slice(PREFIX.length) : undefined;
}

/** Such as "rule trim" or "suggested by agent desk". */
export function makerWords(rule: string): string {
  const agent = agentOf(rule);
  return agent === undefined ? `rule ${rule}` : `suggested by agent ${agent}`;
}
