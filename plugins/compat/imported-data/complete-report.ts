import type { FoundName, ImportFindings, ImportReport, NameCounts, PluginContext } from '../../public.ts'
import { KNOWN_PLUGINS, type KnownPlugin } from '../known-data.ts'

/** Data that each site has and that is not content. */
const INTERNAL: ReadonlySet<string> = new Set(
  `revision custom_css customize_changeset oembed_cache user_request nav_menu_item nav_menu link_category
  post_format`.split(/\s+/),
)
/** Beginnings of meta keys that this site uses, or that say nothing about the content. */
const INTERNAL_META =
  /^_(?:edit_|menu_item_|thumbnail_id$|old_|encloseme$|pingme$|oembed_|attached_|attachment_|trash_|page_template$|dp_original$)/
/** Families of meta keys in a report. */
const MAX_FAMILIES = 100

/** Adds the found plugins and the names that no plugin serves to a report, and switches optional plugins on. */
export async function completeReport(
  { has, services }: PluginContext,
  report: ImportReport,
  found: ImportFindings,
): Promise<void> {
  const options = await storedOptions(services)
  const optional = new Map((await services.optionalPlugins.list()).map((one) => [one.name, one]))
  const known = KNOWN_PLUGINS.map((plugin) => ({ plugin, names: namesOf(plugin, found, options) }))
  const present = known.filter(({ names }) => names.length > 0)
  const wanted = new Set(present.flatMap(({ plugin }) => plugin.servedBy).filter((name) => optional.has(name)))
  const switchedOn = await services.optionalPlugins.switchOn([...wanted])
  for (const { plugin, names } of present) {
    report.plugins.push({
      name: plugin.name,
      servedBy: plugin.servedBy.filter((name) => optional.has(name) || has(name)),
      switchedOn: plugin.servedBy.filter((name) => switchedOn.includes(name)),
      names,
    })
  }
  report.unserved.push(...unservedNames(services, found))
}

/** Returns the names of the plugin's data that the import found. */
function namesOf(plugin: KnownPlugin, found: ImportFindings, options: ReadonlySet<string>): FoundName[] {
  const { post, term, comment } = found.meta
  return [
    ...matching('type', found.types, plugin.contentTypes),
    ...matching('taxonomy', found.taxonomies, plugin.taxonomies),
    ...matching('meta', sumOf([post, term, comment]), plugin.metaKeys),
    ...matching('option', Object.fromEntries([...options].map((name) => [name, 1])), plugin.options),
    ...matching('shortcode', found.shortcodes, plugin.shortcodes),
    ...matching(
      'block',
      found.blocks,
      plugin.blocks?.map((prefix) => `${prefix}/*`),
    ),
  ]
}

/** Adds the counts of several lists by name. */
function sumOf(lists: readonly NameCounts[]): NameCounts {
  const sums: NameCounts = {}
  for (const [name, count] of lists.flatMap((list) => Object.entries(list))) sums[name] = (sums[name] ?? 0) + count
  return sums
}

function matching(kind: FoundName['kind'], counts: NameCounts, patterns: readonly string[] = []): FoundName[] {
  return patterns.flatMap((pattern) => {
    const names = Object.keys(counts).filter((name) => isMatch(name, pattern))
    const count = names.reduce((sum, name) => sum + counts[name]!, 0)
    return names.length === 0 ? [] : [{ kind, name: pattern, count }]
  })
}

const isMatch = (name: string, pattern: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

const isKnown = (kind: 'contentTypes' | 'taxonomies' | 'metaKeys', name: string) =>
  KNOWN_PLUGINS.some((plugin) => plugin[kind]?.some((pattern) => isMatch(name, pattern)))

/** Returns the types, taxonomies and families of meta keys that are stored, but that no plugin serves. */
function unservedNames(
  { contentTypes, meta, taxonomies }: PluginContext['services'],
  found: ImportFindings,
): FoundName[] {
  const names: FoundName[] = []
  for (const [name, count] of Object.entries(found.types)) {
    if (INTERNAL.has(name) || isKnown('contentTypes', name) || contentTypes.get(name) !== undefined) continue
    names.push({ kind: 'type', name, count })
  }
  for (const [name, count] of Object.entries(found.taxonomies)) {
    if (INTERNAL.has(name) || isKnown('taxonomies', name) || taxonomies.get(name) !== undefined) continue
    names.push({ kind: 'taxonomy', name, count })
  }
  const families = new Map<string, number>()
  for (const objectType of ['post', 'term', 'comment'] as const) {
    const registered = new Set(meta.keys(objectType))
    for (const [key, count] of Object.entries(found.meta[objectType])) {
      if (registered.has(key) || INTERNAL_META.test(key) || isKnown('metaKeys', key)) continue
      if (isFieldValue(key, found.meta[objectType])) continue
      const family = familyOf(key)
      families.set(family, (families.get(family) ?? 0) + count)
    }
  }
  for (const [name, count] of [...families].slice(0, MAX_FAMILIES)) names.push({ kind: 'meta', name, count })
  return names
}

/** Whether a key is that of a custom field: `KEY` has the value, and `_KEY` names the definition of the field. */
function isFieldValue(key: string, counts: NameCounts): boolean {
  return key.startsWith('_') ? Object.hasOwn(counts, key.slice(1)) : Object.hasOwn(counts, `_${key}`)
}

/** Returns the family of a meta key: its beginning up to the first separator, or the key itself. */
function familyOf(key: string): string {
  const [, beginning] = /^(_?[a-z\d]+[_-])./i.exec(key) ?? []
  return beginning === undefined ? key : `${beginning}*`
}

/** Returns the names of the options of known plugins that are stored. */
async function storedOptions({ options }: PluginContext['services']): Promise<ReadonlySet<string>> {
  const names = KNOWN_PLUGINS.flatMap((plugin) => plugin.options ?? []).filter((name) => !name.endsWith('*'))
  const values = Object.entries(await options.many(names))
  return new Set(values.flatMap(([name, value]) => (value === undefined ? [] : [name])))
}
