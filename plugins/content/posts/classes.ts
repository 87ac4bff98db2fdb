import { chain, together, type Awaitable, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { FORMAT_TAXONOMY, formatOfSlug } from '../taxonomies/index.ts'
import type { Term } from '../terms/index.ts'
import type { LeanPost } from './post.ts'

/** The classes by which themes tell posts apart. */
export function classesOf(
  { contentTypes, posts, taxonomies, terms }: PluginContext['services'],
  post: LeanPost,
  scope: RequestCache,
): Awaitable<string[]> {
  const { id, type, status } = post
  const features = contentTypes.get(type)?.supports ?? {}
  const supports = (feature: string) => Object.hasOwn(features, feature)
  const read = together(
    () => terms.ofPosts(scope).load(id),
    () => (supports('thumbnail') ? posts.featuredMedia(id, scope) : 0),
  )
  return chain(read, ([ofPost, media]) => {
    const classes = [`post-${id}`, type, `type-${type}`, `status-${status}`]
    if (supports('post-formats')) {
      const slug = ofPost.get(FORMAT_TAXONOMY)?.[0]?.slug
      classes.push(`format-${slug === undefined ? 'standard' : formatOfSlug(slug)}`)
    }
    if (post.password !== '') classes.push('post-password-required')
    else if (media !== 0) classes.push('has-post-thumbnail')
    classes.push('hentry')
    for (const { name, publicly_queryable: isPublic } of taxonomies.ofType(type)) {
      if (!isPublic) continue
      const prefix = name === 'post_tag' ? 'tag' : name
      classes.push(...(ofPost.get(name) ?? []).map((term) => `${prefix}-${classOf(term)}`))
    }
    return classes
  })
}

/** A slug as a class; the ID where it is none, or reads as an ID. */
function classOf({ id, slug }: Term): string {
  const name = slug.replace(/%[0-9a-f]{2}/gi, '').replace(/[^\w-]/g, '')
  return name === '' || /^-*$/.test(name) || /^\d+$/.test(name) ? String(id) : name
}
