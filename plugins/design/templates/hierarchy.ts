/** What each kind of page falls back to, before `index`. */
const FALLBACKS: Readonly<Record<string, readonly string[]>> = {
  'front-page': ['home'],
  single: ['singular'],
  page: ['singular'],
  'privacy-policy': ['page', 'singular'],
  attachment: ['single', 'singular'],
  author: ['archive'],
  category: ['archive'],
  tag: ['archive'],
  taxonomy: ['archive'],
  date: ['archive'],
}

/** What a slug is looked up with. */
export interface Lookup {
  slug: string
  /** Whether it is the slug of a template that is chosen for single posts. */
  isCustom?: boolean | undefined
  /** The kind that the slug is of, where it is not clear: `single-book` for `single-book-first`. */
  prefix?: string | undefined
}

/**
 * Slugs of the templates that may stand in for one, the nearest first, and that itself.
 * @param names of types and taxonomies: their hyphens part nothing
 */
export function templateHierarchy({ slug, isCustom, prefix }: Lookup, names: readonly string[]): string[] {
  if (slug === 'index') return ['index']
  if (isCustom) return ['page', 'singular', 'index']
  const found = [slug]
  if (prefix !== undefined && prefix !== '' && slug.startsWith(`${prefix}-`)) found.push(prefix)
  const kind = Object.hasOwn(FALLBACKS, slug) ? slug : slug.split('-')[0]!
  if (kind === 'single' || kind === 'taxonomy') {
    const rest = slug.slice(kind.length + 1)
    const [name] = names
      .filter((one) => rest === one || rest.startsWith(`${one}-`))
      .sort((one, other) => other.length - one.length)
    if (name !== undefined) found.push(`${kind}-${name}`)
  }
  if (Object.hasOwn(FALLBACKS, kind)) found.push(kind, ...FALLBACKS[kind]!)
  else if (['archive', 'home', 'search', '404', 'singular'].includes(kind)) found.push(kind)
  return [...new Set([...found, 'index'])]
}
