import type { ServedType } from './served-type.ts'

/**
 * The links of a post that tell what its reader may do with it, as the schema describes them.
 * @param itemHref URL of an item, `{id}` standing for its ID
 * @param relation a link relation in its full form
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
    link('unfiltered-html', 'The current user may use HTML of every kind.', { content: { raw: { type: 'string' } } }),
  ]
  // What is uploaded is there at once.
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
