import {
  applySyncFilter,
  derivedOfAll,
  linksIn,
  type Branding,
  type Hooks,
  type Link,
  type LinkMap,
  type Links,
  type RestServer,
} from '../../kernel/index.ts'

/** The prefix of compact link relations. */
export interface Curie {
  name: string
  href: string
  templated: boolean
}

/** A prefix with the beginning and end of the full relations that it abbreviates. */
interface Prefix {
  curie: Curie
  before: string
  after: string
  short: string
}

/** Shortens link relations by prefixes (CURIEs): the site's own prefix, and prefixes added by taps. */
export function linkCompactor(hooks: Hooks, branding: Branding): RestServer['compactLinks'] {
  const prefixes = derivedOfAll(() => prefixesOf(hooks, branding))
  return (links) => compactLinks(links, prefixes())
}

function prefixesOf(hooks: Hooks, { word, relationUri }: Branding): Prefix[] {
  const own = { name: word, href: `${relationUri}{rel}`, templated: true }
  return applySyncFilter(hooks.rest_response_link_curies, [own]).map((curie) => {
    const [before = '', after = ''] = curie.href.split('{rel}')
    return { curie, before, after, short: `${curie.name}:` }
  })
}

/** Returns links with compact relations. The used prefixes are listed under `curies`. */
function compactLinks(
  links: LinkMap | Readonly<Links>,
  prefixes: readonly Prefix[],
): Record<string, readonly object[]> {
  const compact: Record<string, readonly object[]> = {}
  const used: Curie[] = []
  const isMap = links instanceof Map
  for (const [relation, value] of isMap ? (links as LinkMap) : Object.entries(links as Links)) {
    const list = isMap ? (value as readonly Link[]) : linksIn(value)
    let name = relation
    for (const { curie, before, after, short } of prefixes) {
      if (relation.startsWith(before) && relation.endsWith(after)) {
        name = `${short}${relation.slice(before.length, after === '' ? undefined : -after.length)}`
      }
      if (name.startsWith(short) && !used.includes(curie)) used.push(curie)
    }
    const same = compact[name]
    compact[name] = same === undefined ? list : [...same, ...list]
  }
  if (used.length > 0) compact['curies'] = used
  return compact
}
