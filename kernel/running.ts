import type { RunningName, RunningPlugin } from './plugin.ts'

/** Returns the description of a running plugin for other plugins, without secrets. */
export function runningName({ slot, definition, isDefault, file, shownOptions, owner }: RunningPlugin): RunningName {
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
