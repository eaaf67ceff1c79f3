/** The ways a message leaves: the form-encoded interface (area C) and the messaging interface of the graph (area A). */
export const CHANNELS = ['messages', 'graph'] as const;
export type Channel = (typeof CHANNELS)[number];

/** From mild to urgent. */
export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];
