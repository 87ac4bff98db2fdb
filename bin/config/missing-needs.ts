import type { ConfiguredPlugin } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import { listed } from '../../plugins/library/advice/listed.ts'

/**
 * Returns sentences about all missing plugins and the plugins that need them; null if none is missing.
 * @param defaultNames names of the default plugins, which can be switched on
 */
export function missingNeeds(plugins: readonly ConfiguredPlugin[], defaultNames: ReadonlySet<string>): string | null {
  const there = new Set(plugins.map(({ slot }) => slot))
  const missing = new Set(
    plugins.flatMap(({ definition }) => definition.needs ?? []).filter((need) => !there.has(need)),
  )
  if (missing.size === 0) return null
  return [...missing]
    .map((need) => sentenceAbout(need, plugins, [...there, ...defaultNames], defaultNames.has(need)))
    .join(' ')
}

function sentenceAbout(
  need: string,
  plugins: readonly ConfiguredPlugin[],
  names: readonly string[],
  isKnown: boolean,
): string {
  const direct = needing(new Set([need]), plugins)
  const further = allNeeding(need, plugins).filter((name) => !direct.includes(name))
  const [verb, them] = direct.length === 1 ? ['needs', 'it'] : ['need', 'them']
  const subject = `${listed(direct)} ${verb} the plugin ${need}, which`
  const off = `switch ${direct.length === 1 ? direct[0] : them} off`
  const with_ =
    further.length === 0 ? '' : ` with ${listed(further)}, which ${further.length === 1 ? 'needs' : 'need'} ${them}`
  if (isKnown) return `${subject} is switched off: switch ${need} on, or ${off}${with_}.`
  const near = suggest(need, names)
  if (near !== '') return `${subject} does not exist: did you mean ${near}?`
  return `${subject} does not exist: add ${need}, or ${off}${with_}.`
}

/** Returns the names of the plugins that need a plugin, directly or through other plugins. */
function allNeeding(need: string, plugins: readonly ConfiguredPlugin[]): string[] {
  const all = new Set(needing(new Set([need]), plugins))
  for (let size = -1; size !== all.size;) {
    size = all.size
    for (const more of needing(all, plugins)) all.add(more)
  }
  return [...all]
}

/** Returns the names of the plugins that directly need one of `needs`. */
function needing(needs: ReadonlySet<string>, plugins: readonly ConfiguredPlugin[]): string[] {
  const found = plugins.filter(({ definition }) => definition.needs?.some((need) => needs.has(need)))
  return found.map(({ slot }) => slot)
}
