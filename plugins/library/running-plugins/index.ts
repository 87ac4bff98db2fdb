import type { Owned, RunningPlugin } from '../../../kernel/index.ts'

declare module '../../../kernel/index.ts' {
  interface PluginContext {
    /**
     * Returns the running plugins in the order in which they started, by the names that other plugins use in `needs`.
     */
    running(this: void): readonly RunningName[]
    /** Returns the plugins whose `startsIf` decides about their start: neither named in the config nor switched off there. */
    optional(this: void): readonly OptionalName[]
    /**
     * Asks for new workers, which start the plugins again. The old ones finish their requests. A process without a primary
     * logs the reason and that it must be restarted.
     * @param reason why, for the log: `the plugin acf was switched on`
     */
    requestRestart(this: void, reason: string): void
  }

  interface ConfiguredPlugin {
    /** Returns its options without secrets. */
    shownOptions(this: void): readonly ShownOption[]
    /** Whether it is a default plugin. */
    readonly isDefault: boolean
    /** URL of the file that it was loaded from; null for default plugins and plugins added by a program. */
    readonly file: string | null
  }
}

/** A plugin whose `startsIf` decides about its start. */
export interface OptionalName {
  readonly name: string
  readonly description: string
  readonly isRunning: boolean
}

/** A running plugin. */
export interface RunningName {
  readonly name: string
  /** Whether it is a default plugin. */
  readonly isDefault: boolean
  /** Returns its current details without secrets. */
  details(this: void): PluginDetails
}

/** Details of a running plugin. */
export interface PluginDetails {
  /** Name in its definition, which differs from the name of a default that it replaces. */
  readonly definedAs: string
  /** URL of the file that it was loaded from; null for default plugins and plugins added by a program. */
  readonly file: string | null
  readonly description: string
  readonly needs: readonly string[]
  readonly options: readonly ShownOption[]
  /** Names of its migrations; null if it has no tables. */
  readonly migrations: readonly string[] | null
  /** All of its registrations. */
  readonly owned: readonly Owned[]
  /** Why responses with its output are not stored: `the tap price on rest_prepare_post: cache: false`. */
  readonly uncached: readonly string[]
}

/** An option with secrets hidden. */
export interface ShownOption {
  readonly name: string
  readonly value: unknown
  readonly default: unknown
  /** Whether the config sets it. */
  readonly isSet: boolean
}

/** Returns the description of a running plugin for other plugins, without secrets. */
export function describePlugin({ slot, definition, isDefault, file, shownOptions, owner }: RunningPlugin): RunningName {
  return {
    name: slot,
    isDefault,
    details: () => ({
      definedAs: definition.name,
      file,
      description: definition.description ?? '',
      needs: definition.needs ?? [],
      options: shownOptions(),
      migrations: definition.migrations?.map(({ name }) => name) ?? null,
      owned: owner.owned(),
      uncached: [...owner.uncached],
    }),
  }
}
