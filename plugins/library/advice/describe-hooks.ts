import type { HookRegistry } from '../../../kernel/hooks/registry.ts'
import type { HookKind, Registrant } from '../../../kernel/index.ts'

/** A hook for `svc hooks`. */
export interface HookListing {
  name: string
  kind: HookKind
  args: readonly string[]
  owner: string
  /** Name of the family that it is a member of (`rest_prepare_*`), or null. */
  family: string | null
  /** Taps in order. `at` is the code location of a tap by a third-party plugin. */
  taps: { name: string; plugin: string; stage: number; at: string | null }[]
}

/** A tap of a third-party plugin. */
export interface PluginTap {
  readonly hook: string
  /** Family of the hook and the key in it: `rest_prepare_*` and `post`; null for a hook without a family. */
  readonly member: { readonly family: string; readonly key: string } | null
  readonly hasRun: boolean
  readonly types: readonly string[]
  readonly registrant: Registrant
}

/** Returns every declared hook and every family member in use, in the order of declaration. */
export function describeHooks(registry: HookRegistry): HookListing[] {
  return registry.declared.flatMap(({ name: declared, spec: { kind, args }, owner, parts, created }) => {
    const listed = (name: string, family: string | null): HookListing => {
      const taps = (created.get(name)?.taps ?? []).map(({ name, registration: { registrant }, stage = 0 }) => {
        return { name, plugin: registrant.plugin, stage, at: registrant.at() }
      })
      return { name, kind, args, owner: owner.name, family, taps }
    }
    const members = parts === null ? [] : [...created.keys()].map((name) => listed(name, declared))
    return [listed(declared, null), ...members.filter(({ taps }) => taps.length > 0)]
  })
}

/** Returns the taps of third-party plugins. */
export function pluginTaps(registry: HookRegistry): PluginTap[] {
  return registry.declared.flatMap(({ name: declared, parts, created }) =>
    [...created.values()].flatMap(({ name: hook, hasRun, taps }) => {
      // A member that was declared after it had been tapped is listed under its declaration.
      if (hook !== declared && registry.isDeclared(hook)) return []
      const member = parts && {
        family: declared,
        key: hook.slice(parts[0].length, hook.length - parts[1].length),
      }
      const own = taps.filter(({ registration }) => !registration.registrant.trusted)
      return own.map(({ registration: { registrant, facts } }) => {
        return { hook, member, hasRun, types: [facts.types ?? []].flat(), registrant }
      })
    }),
  )
}
