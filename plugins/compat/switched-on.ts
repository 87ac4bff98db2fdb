import type { AnyPlugin } from '../public.ts'

/** Returns the `startsIf` of an optional plugin: whether an import, a user or a command has switched it on. */
export const switchedOn =
  (name: string): NonNullable<AnyPlugin['startsIf']> =>
  ({ optionalPlugins }) =>
    // The preset `core` leaves the list out: there, only the config starts a plugin of this room.
    (optionalPlugins as typeof optionalPlugins | undefined)?.isOn(name) ?? false
