import type { PluginContext, RequestCache, RestResponse } from '../../public.ts'
import type { Reference } from './references.ts'

/** Adds the links of referenced objects to a response. Objects without a route have no link. */
export async function addReferenceLinks(
  { services, urls, branding }: PluginContext,
  response: RestResponse,
  references: readonly Reference[],
  scope: RequestCache,
): Promise<void> {
  const { contentTypes, posts, taxonomies, terms, users } = services
  const found = await Promise.all(
    references.map(async ({ kind, id }) => {
      if (kind === 'user') {
        const route = `/${branding.namespace('v2')}/users/${id}`
        return (await users.get(id, scope)) === undefined ? null : { kind, route, attributes: {} }
      }
      if (kind === 'term') {
        const term = await terms.get(id, scope)
        if (term === undefined) return null
        return { kind, route: taxonomies.itemRoute(term), attributes: { taxonomy: term.taxonomy } }
      }
      const post = await posts.get(id, scope)
      return post === undefined ? null : { kind, route: contentTypes.itemRoute(post), attributes: {} }
    }),
  )
  for (const link of found) {
    if (link === null || link.route === '') continue
    response.addLink(`acf:${link.kind}`, urls.rest(link.route), { embeddable: true, ...link.attributes })
  }
}
