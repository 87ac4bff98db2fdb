import type { Link, PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import type { Taxonomy } from '../taxonomies/index.ts'
import type { LeanPost } from './reader.ts'
import { hasFeature } from './schema.ts'

/** The type whose items are linked. */
export interface Linked {
  type: ContentType
  /** Its taxonomies that the interface serves. */
  taxonomies: readonly Taxonomy[]
  /** Address of an item, of what is below it, or of the list. */
  href: (below?: number | string) => string
}

/** Where a post, what belongs to it, and what the person may do with it are found (specification 2.1). */
export async function linksOf(
  plugin: PluginContext,
  { type, taxonomies, href }: Linked,
  post: LeanPost,
  request: RestRequest,
): Promise<Record<string, Link | readonly Link[]>> {
  const { services, urls, branding } = plugin
  const { scope } = request
  const base = `/${branding.namespace('v2')}`
  const has = (feature: string) => hasFeature(type, feature)
  const self = href(post.id)
  const [versions, media] = await Promise.all([
    has('revisions') ? services.posts.versions(post.id, scope) : undefined,
    has('thumbnail') ? services.posts.featuredMedia(post.id, scope) : 0,
  ])
  const links: Record<string, Link | readonly Link[]> = {
    self: { href: self },
    collection: { href: href() },
    about: { href: urls.rest(`${base}/types/${type.name}`) },
  }
  if (has('author') && post.author_id !== 0) {
    links['author'] = { href: urls.rest(`${base}/users/${post.author_id}`), embeddable: true }
  }
  if (has('comments')) links['replies'] = { href: urls.rest(`${base}/comments?post=${post.id}`), embeddable: true }
  if (versions !== undefined) {
    const { count, latest } = versions
    links['version-history'] = { count, href: href(`${post.id}/revisions`) }
    if (count > 0) links['predecessor-version'] = { id: latest, href: href(`${post.id}/revisions/${latest}`) }
  }
  if (type.hierarchical && post.parent_id !== 0) links['up'] = { href: href(post.parent_id), embeddable: true }
  if (media !== 0) {
    links[branding.relation('featuredmedia')] = { href: urls.rest(`${base}/media/${media}`), embeddable: true }
  }
  if (!['attachment', 'nav_menu_item', 'revision'].includes(type.name)) {
    links[branding.relation('attachment')] = { href: urls.rest(`${base}/media?parent=${post.id}`) }
  }
  const terms = taxonomies.map(({ name, rest_namespace: space, rest_base: taxonomyBase }) => ({
    taxonomy: name,
    href: urls.rest(`/${space}/${taxonomyBase}?post=${post.id}`),
    embeddable: true,
  }))
  if (terms.length > 0) links[branding.relation('term')] = terms
  if (request.get('context') === 'edit') {
    for (const action of actionsOf(plugin, type, taxonomies, request))
      links[branding.relation(`action-${action}`)] = { href: self }
  }
  return links
}

/** What the person may do with an item that they may edit. */
function actionsOf(
  { services }: PluginContext,
  type: ContentType,
  taxonomies: readonly Taxonomy[],
  { user }: RestRequest,
): string[] {
  const may = (capability: string) => services.capabilities.can(user, capability)
  const actions: string[] = []
  if (type.name !== 'attachment' && may(type.capabilities.publish_posts)) actions.push('publish')
  if (may('unfiltered_html')) actions.push('unfiltered-html')
  const ofOthers = may(type.capabilities.edit_others_posts)
  if (type.name === 'post' && ofOthers && may(type.capabilities.publish_posts)) actions.push('sticky')
  if (hasFeature(type, 'author') && ofOthers) actions.push('assign-author')
  for (const { rest_base: base, hierarchical, capabilities } of taxonomies) {
    // Whoever may give tags may make them; categories are made by those who care for them.
    if (may(hierarchical ? capabilities.edit_terms : capabilities.assign_terms)) actions.push(`create-${base}`)
    if (may(capabilities.assign_terms)) actions.push(`assign-${base}`)
  }
  return actions
}
