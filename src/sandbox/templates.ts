interface Template {
  readonly name: string;
  /** The content id of the messaging interface. */
  readonly content: string;
  readonly language: string;
  readonly body: string;
  readonly isPaused?: true;
}

/** A rehearsal uses the first one. */
const TEMPLATES: readonly [Template, ...Template[]] = [
  {
    name: 'pacekeeper_alert',
    content: 'HX0000000000000000000000000000a1e7',
    language: 'en',
    body: 'Pacekeeper: {{1}}\nAnswer to get messages in full for a day.',
  },
  {
    name: 'pacekeeper_finding',
    content: 'HX0000000000000000000000000000f19d',
    language: 'en',
    body: 'Pacekeeper, {{1}}: {{2}}\nAnswer to get messages in full for a day.',
  },
  {
    name: 'pacekeeper_paused',
    content: 'HX000000000000000000000000000005a5',
    language: 'en',
    body: 'Pacekeeper: {{1}}\nPlease answer.',
    isPaused: true,
  },
];

export const [REHEARSED] = TEMPLATES;

export type Filled =
  | { readonly kind: 'text'; readonly body: string }
  | { readonly kind: 'unknown' | 'paused' | 'wrong_number' | 'wrong_value' };

export type SandboxTemplates = ReturnType<typeof createTemplates>;

/** The templates of the business. Both interfaces know the same. */
export function createTemplates() {
  let known: readonly Template[] = TEMPLATES;
  return {
    /** The service deletes the template of the rehearsal. */
    withdraw(): void {
      known = TEMPLATES.slice(1);
    },
    fill(wanted: Partial<Pick<Template, 'name' | 'content' | 'language'>>, values: readonly unknown[]): Filled {
      const template = known.find((one) =>
        Object.entries(wanted).every(([key, value]) => one[key as keyof Template] === value),
      );
      if (template === undefined) return { kind: 'unknown' };
      // A value with line ends, a tab or more than four spaces is refused.
      if (!values.every((value) => typeof value === 'string' && /\S/.test(value) && !/[\n\r\t]| {5}/.test(value))) {
        return { kind: 'wrong_value' };
      }
      if (new Set(template.body.match(/\{\{\d+\}\}/g)).size !== values.length) return { kind: 'wrong_number' };
      if (template.isPaused) return { kind: 'paused' };
      const body = template.body.replace(/\{\{(\d+)\}\}/g, (_, number: string) => String(values[Number(number) - 1]));
      return { kind: 'text', body };
    },
  };
}
