import { elementOf, textOf } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'

/** Areas whose template parts use the element of the same name. */
const AREAS: ReadonlySet<string> = new Set(['header', 'footer'])

/** Renders a template part, as edited or as supplied by the theme. */
export const renderTemplatePart: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { has, services } = rendering.plugin
  const slug = textOf(attributes, 'slug')
  if (slug === '' || !has('templates')) return ''
  const theme = textOf(attributes, 'theme') || (await services.themes.shown()).stylesheet
  const id = `${theme}//${slug}`
  const part =
    (await services.templates.get(id, 'template_part', rendering.scope)) ??
    (await services.templates.shownPart(id, rendering.scope))
  if (part?.status !== 'publish') return ''
  const content = await rendering.include(`part ${id}`, part.content)
  const area = textOf(attributes, 'area') || part.area
  const tag = elementOf(attributes, AREAS.has(area) ? area : 'div')
  return `<${tag} ${wrapperAttributes(block)}>${content}</${tag}>`
}

/** Renders a pattern referenced by its name. */
export const renderPattern: Renderer = async (block, rendering) => {
  const { has, services } = rendering.plugin
  const slug = textOf(block.attributes, 'slug')
  const pattern = has('block-patterns') ? await services.blockPatterns.get(slug) : undefined
  return pattern === undefined ? '' : rendering.include(`pattern ${slug}`, pattern.content)
}
