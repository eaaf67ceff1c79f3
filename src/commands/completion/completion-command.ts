import type { Command as CommandOfTree } from 'commander';
import { type Command, command } from '../cli/command.ts';
import type { Process } from '../cli/process.ts';

const SHELLS = {
  bash: [
    'pacekeeper completion bash > ~/.local/share/bash-completion/completions/pacekeeper',
    'pacekeeper completion bash > /etc/bash_completion.d/pacekeeper',
  ],
  zsh: [
    'pacekeeper completion zsh > ~/.zfunc/_pacekeeper',
    'pacekeeper completion zsh > /usr/local/share/zsh/site-functions/_pacekeeper',
  ],
  fish: [
    'pacekeeper completion fish > ~/.config/fish/completions/pacekeeper.fish',
    'pacekeeper completion fish | source',
  ],
} as const;

/** `build` makes the tree of all commands, whose declarations the scripts come from. */
export function completionCommand(build: (version: string, process: Process) => CommandOfTree): Command {
  return {
    name: 'completion',
    summary: 'Print a script that completes commands, options and their values in a shell.',
    examples: SHELLS.bash,
    commands: (['bash', 'zsh', 'fish'] as const).map((shell) =>
      command({
        name: shell,
        summary: `Print the completion script for ${shell}.`,
        examples: SHELLS[shell],
        settings: 'none',
        load: async () => {
          const { COMPLETIONS, placesOf } = await import('./completion-scripts.ts');
          return async (process: Process) =>
            void process.output.stdout.write(COMPLETIONS[shell](placesOf(build('', process))));
        },
      }),
    ),
  };
}
