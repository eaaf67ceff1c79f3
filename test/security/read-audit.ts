export interface AuditFinding {
  /** The package's name. */
  readonly name: string;
  readonly text: string;
}

/** What the registry knows of the packages of a lockfile. */
export type AuditReading =
  | { readonly kind: 'clean'; readonly packages: number }
  | { readonly kind: 'found'; readonly findings: readonly AuditFinding[] }
  /** Nobody was asked, or nobody answered: nothing is known. */
  | { readonly kind: 'not_asked'; readonly because: string };

interface Advisory {
  readonly severity?: string;
  readonly range?: string;
  readonly via?: readonly (string | { readonly title?: string; readonly url?: string })[];
}

/** Reads what `npm audit --json` prints. Whatever is not an answer of the registry counts as none, never as a clean one. */
export function readAudit(printed: string): AuditReading {
  const told = parse(printed);
  const { vulnerabilities, metadata, error, message } = told;
  const packages = (metadata as { dependencies?: { total?: unknown } } | undefined)?.dependencies?.total;
  if (typeof vulnerabilities !== 'object' || vulnerabilities === null || typeof packages !== 'number') {
    const { summary, detail } = (error ?? {}) as Readonly<Record<string, unknown>>;
    const said = [summary, detail, message].find((one) => typeof one === 'string' && one !== '');
    return { kind: 'not_asked', because: String(said ?? 'npm audit printed no answer') };
  }
  const findings = Object.entries(vulnerabilities as Readonly<Record<string, Advisory>>).map(([name, advisory]) => {
    const why = (advisory.via ?? []).map((one) =>
      typeof one === 'string' ? `through ${one}` : `${one.title} ${one.url}`,
    );
    return { name, text: `${name} ${advisory.range ?? ''} (${advisory.severity ?? 'unknown'}): ${why.join('; ')}` };
  });
  return findings.length === 0 ? { kind: 'clean', packages } : { kind: 'found', findings };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
