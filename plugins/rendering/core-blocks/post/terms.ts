import { escapeHtmlOnce } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import { classValue, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { postOf } from './current-post.ts'

/** Renders links to the terms of a post in one taxonomy. */
export const renderPostTerms: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { branding, services } = rendering.plugin
  const taxonomy = services.taxonomies.get(branding.ownTypeName(textOf(attributes, 'term')))
  if (taxonomy?.publicly_queryable !== true) return ''
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const terms = (await services.terms.ofPosts(rendering.scope).load(post.id)).get(taxonomy.name) ?? []
  if (terms.length === 0) return ''
  const links = await mapInSlices(terms, async (term) => {
    const url = await services.permalinks.term(term, rendering.scope)
    return `<a href="${urlValue(url)}" rel="tag">${escapeHtmlOnce(term.name)}</a>`
  })
  const blockClass = rendering.classOf(block)
  const part = (name: string) => {
    const text = rendering.richText(textOf(attributes, name))
    return text === '' ? '' : `<span class="${blockClass}__${name}">${text}</span>`
  }
  const wrapper = wrapperAttributes(block, { class: `taxonomy-${classValue(taxonomy.name)}` })
  return `<div ${wrapper}>${part('prefix')}${links.join(part('separator') || ' ')}${part('suffix')}</div>`
}
