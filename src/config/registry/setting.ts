/**
 * What may be shown of a value. `shown`: it may be repeated anywhere. The next three are not repeated of a file that has a
 * mistake, where a secret may stand in the wrong place, and are shown by `config show`: `text` as it is, an `address` when it
 * has no user and no query in it, a `number` masked, for it is a telephone number or may be one by mistake. `secret`: never.
 */
export type ValueKind = 'shown' | 'text' | 'address' | 'number' | 'secret';

/** One setting: everything that is known of it beside how it is checked, which the schema says. */
export interface Setting {
  /**
   * Where it stands in `pacekeeper.yaml`: keys with dots between, `<name>` for a key that the user chooses, `[]` behind the name
   * of a list of groups. Undefined for what the environment alone sets.
   */
  readonly path?: string;
  /** Its names in the environment; of several that are set the first one counts. */
  readonly env?: readonly string[];
  /** What holds without it, as Markdown; undefined where there is nothing to say. */
  readonly default?: string;
  readonly value: ValueKind;
  /** In place of one value there may be a map of names to values. */
  readonly named?: true;
  /** It belongs to a live service, and holds for the sandbox, too. */
  readonly bothTargets?: true;
  /** Markdown; empty where the row above says it. */
  readonly meaning: string;
}

/** Settings that are read together: a section of the configuration page. */
export interface SettingSection {
  readonly title: string;
  /** The keys of `pacekeeper.yaml` that the section is about as a whole. */
  readonly areas: readonly string[];
  /** Lines of Markdown before the table. */
  readonly before: readonly string[];
  readonly settings: readonly Setting[];
  /** What is in the areas is used with a live target only. */
  readonly live?: true;
}
