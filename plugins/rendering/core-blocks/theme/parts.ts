import { elementOf, textOf } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'

/** The areas of a page whose parts have an element of the same name. */
const AREAS: ReadonlySet<string> = new Set(['header', 'footer'])

/** A part of a template, as somebody changed it or as the theme has it. */
export const renderTemplatePart: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { has, services } = rendering.plugin
  const slug = textOf(attributes, 'slug')
  if (slug === '' || !has('templates')) return ''
  const theme = textOf(attributes, 'theme') || (await services.themes.active()).stylesheet
  const id = `${theme}//${slug}`
  const part = await services.templates.get(id, 'template_part', rendering.scope)
  if (part?.status !== 'publish') return ''
  const content = await rendering.include(`part ${id}`, part.content)
  const area = textOf(attributes, 'area') || part.area
  const tag = elementOf(attributes, AREAS.has(area) ? area : 'div')
  return `<${tag} ${wrapperAttributes(block)}>${content}</${tag}>`
}

/** A pattern, where it stands by its name alone. */
export const renderPattern: Renderer = async (block, rendering) => {
  const { has, services } = rendering.plugin
  const slug = textOf(block.attributes, 'slug')
  const pattern = has('block-patterns') ? await services.blockPatterns.get(slug) : undefined
  return pattern === undefined ? '' : rendering.include(`pattern ${slug}`, pattern.content)
}
