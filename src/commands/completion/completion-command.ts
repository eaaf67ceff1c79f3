import { type Command, command } from '../cli/command.ts';
import type { Process } from '../cli/process.ts';

const SHELLS = {
  bash: ['pacekeeper completion bash > ~/.local/share/bash-completion/completions/pacekeeper'],
  zsh: ['pacekeeper completion zsh > ~/.zfunc/_pacekeeper'],
  fish: ['pacekeeper completion fish > ~/.config/fish/completions/pacekeeper.fish'],
} as const;

export const completionCommand: Command = {
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
        const [{ buildProgram }, { COMPLETIONS, placesOf }] = await Promise.all([
          import('../../program.ts'),
          import('./completion-scripts.ts'),
        ]);
        return async (process: Process) =>
          void process.output.stdout.write(COMPLETIONS[shell](placesOf(buildProgram('', process))));
      },
    }),
  ),
};
