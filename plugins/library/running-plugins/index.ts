import type { Owned, RunningPlugin } from '../../../kernel/index.ts'

declare module '../../../kernel/index.ts' {
  interface PluginContext {
    /** The plugins that run, by the names that others need them by, in the order in which they started. */
    running(this: void): readonly RunningName[]
  }

  interface ConfiguredPlugin {
    /** Returns its options as they may be shown. */
    shownOptions(this: void): readonly ShownOption[]
    /** Whether it comes with the server. */
    readonly isDefault: boolean
    /** URL of the file that it was loaded from; null for a default, and for one that a program has added. */
    readonly file: string | null
  }
}

/** A plugin that runs. */
export interface RunningName {
  readonly name: string
  /** Whether it comes with the server. */
  readonly isDefault: boolean
  /** What is known of it now; secrets are hidden. */
  details(this: void): PluginDetails
}

/** What there is to know of a plugin that runs. */
export interface PluginDetails {
  /** Its own name, which is not that of the default whose place it takes. */
  readonly definedAs: string
  /** URL of the file that it was loaded from; null for a default, and for one that a program has added. */
  readonly file: string | null
  readonly description: string
  readonly needs: readonly string[]
  readonly options: readonly ShownOption[]
  /** Names of its migrations; null where it has no tables. */
  readonly migrations: readonly string[] | null
  /** Everything that it has registered. */
  readonly owned: readonly Owned[]
  /** Why responses that it takes part in are not stored: `the tap price on rest_prepare_post: cache: false`. */
  readonly uncached: readonly string[]
}

/** An option as it may be shown. */
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
