import { escapeHtmlOnce } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import type { Term } from '../../../content/terms/index.ts'
import { headingTag, idsOf, numberIn, numberOf, objectOf, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { termOf } from './current-term.ts'

/** Maximum terms in a list. */
const MAX_TERMS = 100

const ORDERS = { name: 'name', slug: 'slug', count: 'count', include: 'include', id: 'id' } as const

const BRACKETS: Readonly<Record<string, readonly [open: string, close: string]>> = {
  none: ['', ''],
  round: ['(', ')'],
  square: ['[', ']'],
  curly: ['{', '}'],
  angle: ['&lt;', '&gt;'],
}

/** Renders the inner blocks for each term of a term query. */
export const renderTermTemplate: Renderer = async (block, rendering) => {
  const terms = await termsOf(block, rendering)
  if (terms.length === 0 || !rendering.spend(terms.length)) return ''
  const prefix = rendering.mark
  const item = async (term: Term) => {
    const inside = await rendering.renderInner(block, { termId: term.id, taxonomy: term.taxonomy })
    return `<li class="${prefix}-block-term term-${term.id}">${inside}</li>`
  }
  // Render all items concurrently, so that their reads are batched into the same statements.
  const items = await mapInSlices(terms, item, terms.length)
  return `<ul ${wrapperAttributes(block)}>${items.join('')}</ul>`
}

async function termsOf({ context }: CoreBlock, { plugin, scope, once }: Rendering): Promise<readonly Term[]> {
  const { taxonomies, terms } = plugin.services
  const termQuery = objectOf(context, 'termQuery')
  const taxonomy = taxonomies.get(plugin.branding.ownTypeName(textOf(termQuery, 'taxonomy')))
  if (taxonomy?.publicly_queryable !== true) return []
  const perPage = Math.trunc(numberOf(termQuery, 'perPage', 10))
  const include = idsOf(termQuery['include'])
  const parent = numberIn(termQuery['parent'])
  const order = textOf(termQuery, 'orderBy')
  const query = {
    taxonomy: taxonomy.name,
    ...(include.length > 0 && { include }),
    ...(idsOf(termQuery['exclude']).length > 0 && { exclude: idsOf(termQuery['exclude']) }),
    ...(parent !== null && { parent }),
    // Nested terms are only included on request.
    ...(taxonomy.hierarchical &&
      termQuery['showNested'] !== true &&
      include.length === 0 &&
      parent === null && { parent: 0 }),
    hideEmpty: termQuery['hideEmpty'] !== false,
    hierarchical: taxonomy.hierarchical,
    orderby: Object.hasOwn(ORDERS, order) ? ORDERS[order as keyof typeof ORDERS] : ('name' as const),
    order: textOf(termQuery, 'order').toLowerCase() === 'desc' ? ('desc' as const) : ('asc' as const),
    limit: Math.min(perPage > 0 ? perPage : MAX_TERMS, MAX_TERMS),
  }
  return (await once(['terms', query], () => terms.query(query, scope))).items
}

/** Renders the name of a term. */
export const renderTermName: Renderer = async (block, rendering) => {
  const { attributes } = block
  const term = await termOf(block, rendering)
  if (term === undefined) return ''
  const tag = headingTag(attributes, 0)
  const name = escapeHtmlOnce(term.name)
  const { permalinks } = rendering.plugin.services
  const inside =
    attributes['isLink'] === true
      ? `<a href="${urlValue(await permalinks.term(term, rendering.scope))}">${name}</a>`
      : name
  return `<${tag} ${wrapperAttributes(block)}>${inside}</${tag}>`
}

/** Renders the number of posts with a term. */
export const renderTermCount: Renderer = async (block, rendering) => {
  const term = await termOf(block, rendering)
  if (term === undefined) return ''
  const [open, close] = BRACKETS[textOf(block.attributes, 'bracketType')] ?? BRACKETS['round']!
  return `<div ${wrapperAttributes(block)}>${open}${term.count}${close}</div>`
}

/** Renders the description of a term. */
export const renderTermDescription: Renderer = async (block, rendering) => {
  const term = await termOf(block, rendering)
  if (term === undefined || term.description.trim() === '') return ''
  const html = rendering.plugin.services.contentRendering.paragraphs(rendering.richText(term.description))
  return `<div ${wrapperAttributes(block)}>${html}</div>`
}
