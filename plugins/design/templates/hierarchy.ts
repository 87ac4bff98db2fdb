/** Fallbacks of each kind of template, before `index`. */
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

/** Parameters of a template look-up. */
export interface Lookup {
  slug: string
  /** Whether the slug is a template that users select for single posts. */
  isCustom?: boolean | undefined
  /** Kind of the slug if it is ambiguous: `single-book` for `single-book-first`. */
  prefix?: string | undefined
}

/**
 * Returns the slugs of templates that can be used for a slug, most specific first, starting with the slug itself.
 * @param names of content types and taxonomies, which can contain hyphens
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
