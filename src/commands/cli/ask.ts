export interface Ask {
  choose<Value extends string>(
    message: string,
    choices: readonly { readonly value: Value; readonly name: string }[],
  ): Promise<Value>;
  chooseSome<Value extends string>(
    message: string,
    choices: readonly { readonly value: Value; readonly name: string }[],
  ): Promise<readonly Value[]>;
  text(message: string, options: AskText): Promise<string>;
  secret(message: string): Promise<string>;
  confirm(message: string): Promise<boolean>;
}

export interface AskText {
  readonly proposed?: string;
  readonly check: (text: string) => string | undefined;
}

export async function terminalAsk(): Promise<Ask> {
  const { checkbox, confirm, input, password, select } = await import('@inquirer/prompts');
  return {
    choose: (message, choices) => select({ message, choices: [...choices] }),
    // A name can fill a line, so the prompt shows the value after the answer.
    chooseSome: (message, choices) =>
      checkbox({ message, pageSize: 12, choices: choices.map((choice) => ({ ...choice, short: choice.value })) }),
    text: (message, { proposed, check }) =>
      input({
        message,
        ...(proposed === undefined ? {} : { default: proposed }),
        validate: (text) => check(text.trim()) ?? true,
      }),
    secret: (message) =>
      password({ message, mask: '*', validate: (text) => text.trim() !== '' || 'Expected a value.' }),
    confirm: (message) => confirm({ message }),
  };
}
