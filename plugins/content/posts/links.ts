import type { Links, PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { Controller } from '../../resources/index.ts'
import type { LeanPost } from './post.ts'
import type { RevisionCount } from './revisions.ts'
import type { ServedType } from './served-type.ts'

/**
 * Returns the links of a post: its URL, related resources, and the actions available to the user (specification 2.1).
 * @param routes the controller of the type; its `href` returns the URL of a post, of a resource below it, or of the
 * list
 */
export async function linksOf(
  plugin: PluginContext,
  served: ServedType,
  routes: Pick<Controller, 'href'>,
  post: LeanPost,
  request: RestRequest,
): Promise<Links> {
  const { posts } = plugin.services
  const { scope } = request
  const [versions, media, above] = await Promise.all([
    served.has('revisions') ? posts.versions(post.id, scope) : undefined,
    served.has('thumbnail') ? posts.featuredMedia(post.id, scope) : 0,
    isAttached(post) && served.since('6.9') ? posts.get(post.parent_id, scope) : undefined,
  ])
  const links = buildLinks(plugin, served, routes, post, request, versions, media)
  const route = above === undefined ? '' : plugin.services.contentTypes.itemRoute(above)
  if (above === undefined || route === '') return links
  const self = plugin.urls.rest(route)
  const attachedTo = { embeddable: true, post_type: above.type, id: above.id, href: self }
  return { ...links, [plugin.branding.relation('attached-to')]: attachedTo }
}

const isAttached = ({ type, parent_id: parent }: LeanPost) => type === 'attachment' && parent !== 0

function buildLinks(
  { services, urls, branding }: PluginContext,
  served: ServedType,
  routes: Pick<Controller, 'href'>,
  post: LeanPost,
  request: RestRequest,
  versions: RevisionCount | undefined,
  media: number,
): Links {
  const { type } = served
  const base = `/${branding.namespace('v2')}`
  const self = routes.href(post.id)
  const links: Links = {
    self: { href: self },
    collection: { href: routes.href() },
    about: { href: urls.rest(`${base}/types/${type.name}`) },
  }
  if (served.has('author') && post.author_id !== 0) {
    links['author'] = { embeddable: true, href: urls.rest(`${base}/users/${post.author_id}`) }
  }
  if (served.has('comments'))
    links['replies'] = { embeddable: true, href: urls.rest(`${base}/comments?post=${post.id}`) }
  if (versions !== undefined) {
    const { count, latest } = versions
    links['version-history'] = { count, href: routes.href(`${post.id}/revisions`) }
    if (count > 0) links['predecessor-version'] = { id: latest, href: routes.href(`${post.id}/revisions/${latest}`) }
  }
  if (type.hierarchical && post.parent_id !== 0) links['up'] = { embeddable: true, href: routes.href(post.parent_id) }
  if (media !== 0) {
    links[branding.relation('featuredmedia')] = { embeddable: true, href: urls.rest(`${base}/media/${media}`) }
  }
  if (!['attachment', 'nav_menu_item', 'revision'].includes(type.name)) {
    links[branding.relation('attachment')] = { href: urls.rest(`${base}/media?parent=${post.id}`) }
  }
  const terms = served.taxonomiesFor(request).map(({ name, rest_namespace: space, rest_base: taxonomyBase }) => ({
    taxonomy: name,
    embeddable: true,
    href: urls.rest(`/${space}/${taxonomyBase}?post=${post.id}`),
  }))
  if (terms.length > 0) links[branding.relation('term')] = terms
  if (request.get('context') === 'edit') {
    for (const action of actionsOf(services, served, request))
      links[branding.relation(`action-${action}`)] = { href: self }
  }
  return links
}

/** Actions the user may perform on a post that they can edit. */
function actionsOf(services: PluginContext['services'], served: ServedType, request: RestRequest): string[] {
  const { type } = served
  const may = (capability: string) => services.capabilities.can(request.user, capability)
  const actions: string[] = []
  const publishes = may(type.capabilities.publish_posts)
  if (type.name !== 'attachment' && publishes) actions.push('publish')
  if (may('unfiltered_html')) actions.push('unfiltered-html')
  const ofOthers = may(type.capabilities.edit_others_posts)
  if (type.name === 'post' && ofOthers && publishes) actions.push('sticky')
  if (served.has('author') && ofOthers) actions.push('assign-author')
  for (const { rest_base: base, hierarchical, capabilities } of served.taxonomiesFor(request)) {
    const assigns = may(capabilities.assign_terms)
    // Users who may assign tags may create them; creating categories requires the right to edit them.
    if (hierarchical ? may(capabilities.edit_terms) : assigns) actions.push(`create-${base}`)
    if (assigns) actions.push(`assign-${base}`)
  }
  return actions
}

/**
 * Schema of the action links of a post.
 * @param itemHref URL template of an item with the placeholder `{id}`
 * @param relation returns the full form of a link relation
 */
export function actionLinks(
  served: ServedType,
  itemHref: string,
  relation: (name: string) => string,
): Record<string, unknown>[] {
  const { type, taxonomies } = served
  const link = (name: string, title: string, properties: Record<string, unknown>) => ({
    rel: relation(`action-${name}`),
    title,
    href: itemHref,
    targetSchema: { type: 'object', properties },
  })
  const links = [
    link('unfiltered-html', 'The current user may use unfiltered HTML.', { content: { raw: { type: 'string' } } }),
  ]
  // An upload is published immediately.
  if (type.name !== 'attachment') {
    const status = { type: 'string', enum: ['publish', 'future'] }
    links.unshift(link('publish', 'The current user may publish this post.', { status }))
  }
  if (type.name === 'post') {
    links.push(link('sticky', 'The current user may make this post sticky.', { sticky: { type: 'boolean' } }))
  }
  if (served.has('author')) {
    links.push(link('assign-author', 'The current user may change the author.', { author: { type: 'integer' } }))
  }
  for (const { rest_base: base, labels, name } of taxonomies) {
    const label = labels['name'] ?? name
    const terms = { [base]: { type: 'array', items: { type: 'integer' } } }
    links.push(link(`assign-${base}`, `The current user may assign terms: ${label}.`, terms))
    links.push(link(`create-${base}`, `The current user may create terms: ${label}.`, terms))
  }
  return links
}
