import { type Command, Option } from 'commander';

export interface Parameter<Value, IsAlways extends boolean> {
  readonly kind: 'argument' | 'option';
  /** `<date>` for one value, `<id...>` for several values, empty for a flag. */
  readonly form: string;
  readonly description: string;
  readonly isAlways: IsAlways;
  readonly choices?: readonly string[];
  readonly fallback?: Value;
  /** The value is true unless the option `--no-…` is given. */
  readonly isNegated?: boolean;
  /** Throws `InvalidArgumentError`. `earlier` is the value so far if the option is repeated. */
  read?(text: string, earlier: Value | undefined): Value;
}

/** The key becomes the option's name: `dryRun` becomes `--dry-run`. */
export type Takes = Readonly<Record<string, Parameter<unknown, boolean>>>;

type ValueOf<One> = One extends Parameter<infer Value, boolean> ? Value : never;

export type Taken<All extends Takes> = {
  readonly [Name in keyof All as All[Name]['isAlways'] extends true ? Name : never]: ValueOf<All[Name]>;
} & {
  readonly [Name in keyof All as All[Name]['isAlways'] extends true ? never : Name]?: ValueOf<All[Name]>;
};

export function argument(description = ''): Parameter<string, true> {
  return { kind: 'argument', form: '<>', description, isAlways: true };
}

export function optionalArgument(description: string): Parameter<string, false> {
  return { kind: 'argument', form: '[]', description, isAlways: false };
}

export function argumentList(): Parameter<readonly string[], true> {
  return { kind: 'argument', form: '<...>', description: '', isAlways: true };
}

export function optionalArgumentList(description: string): Parameter<readonly string[], true> {
  return { kind: 'argument', form: '[...]', description, isAlways: true };
}

export function flag(description: string): Parameter<boolean, false> {
  return { kind: 'option', form: '', description, isAlways: false };
}

export function unlessNo(description: string): Parameter<boolean, true> {
  return { kind: 'option', form: '', description, isAlways: true, isNegated: true };
}

export function option(form: string, description: string): Parameter<string, false> {
  return { kind: 'option', form, description, isAlways: false };
}

export function optionList(form: string, description: string): Parameter<readonly string[], false> {
  return { kind: 'option', form, description, isAlways: false };
}

export function optionOf<Value>(
  form: string,
  description: string,
  read: (text: string, earlier: Value | undefined) => Value,
): Parameter<Value, false> {
  return { kind: 'option', form, description, isAlways: false, read };
}

export function choice<const Choices extends readonly string[]>(
  form: string,
  description: string,
  choices: Choices,
): Parameter<Choices[number], false> {
  return { kind: 'option', form, description, isAlways: false, choices };
}

export function needed<Value>(one: Parameter<Value, boolean>): Parameter<Value, true> {
  return { ...one, isAlways: true };
}

export function withDefault<Value>(one: Parameter<Value, boolean>, fallback: Value): Parameter<Value, true> {
  return { ...one, isAlways: true, fallback };
}

export function addTakes(command: Command, takes: Takes): Command {
  for (const [name, one] of Object.entries(takes)) {
    if (one.kind === 'option') command.addOption(optionNamed(name, one));
    else command.argument(`${one.form[0]}${name}${one.form.slice(1)}`, one.description);
  }
  return command;
}

function optionNamed(name: string, one: Parameter<unknown, boolean>): Option {
  const { form, description, isAlways, isNegated = false, choices, fallback } = one;
  const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const option = new Option(`--${isNegated ? 'no-' : ''}${dashed}${form === '' ? '' : ` ${form}`}`, description);
  if (one.read) option.argParser((text, earlier) => one.read?.(text, earlier));
  if (choices) option.choices(choices);
  if (fallback !== undefined) option.default(fallback);
  return option.makeOptionMandatory(isAlways && !isNegated && fallback === undefined);
}
