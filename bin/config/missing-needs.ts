import type { ConfiguredPlugin } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import { listed } from '../../plugins/library/advice/listed.ts'

/**
 * What plugins need that is not there, and all who do, at once; null where nothing is missing.
 * @param known names of plugins that could be there: the defaults
 */
export function missingNeeds(plugins: readonly ConfiguredPlugin[], known: ReadonlySet<string>): string | null {
  const there = new Set(plugins.map(({ slot }) => slot))
  const missing = new Set(
    plugins.flatMap(({ definition }) => definition.needs ?? []).filter((need) => !there.has(need)),
  )
  if (missing.size === 0) return null
  return [...missing].map((need) => sentenceAbout(need, plugins, [...there, ...known], known.has(need))).join(' ')
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
  const who = `${listed(direct)} ${verb} the plugin ${need}, which`
  const off = `switch ${direct.length === 1 ? direct[0] : them} off`
  const with_ =
    further.length === 0 ? '' : ` with ${listed(further)}, which ${further.length === 1 ? 'needs' : 'need'} ${them}`
  if (isKnown) return `${who} is switched off: switch ${need} on, or ${off}${with_}.`
  const near = suggest(need, names)
  if (near !== '') return `${who} is not there: did you mean ${near}?`
  return `${who} is not there: add ${need}, or ${off}${with_}.`
}

/** Names of the plugins that need one, or what needs it. */
function allNeeding(need: string, plugins: readonly ConfiguredPlugin[]): string[] {
  const all = new Set(needing(new Set([need]), plugins))
  for (let size = -1; size !== all.size;) {
    size = all.size
    for (const more of needing(all, plugins)) all.add(more)
  }
  return [...all]
}

/** Names of the plugins that need one of some. */
function needing(needs: ReadonlySet<string>, plugins: readonly ConfiguredPlugin[]): string[] {
  const found = plugins.filter(({ definition }) => definition.needs?.some((need) => needs.has(need)))
  return found.map(({ slot }) => slot)
}
