import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import { NO_TERM } from '../../../content/permalinks/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import type { Term } from '../../../content/terms/index.ts'
import { classValue, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { dropdown } from './dropdown.ts'

/** Maximum terms in a list. */
const MAX_TERMS = 2000
/** Maximum nesting levels. */
const MAX_LEVELS = 50

/** Renders links to the terms of a taxonomy. */
export const renderCategories: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { branding } = rendering.plugin
  const { taxonomies, terms } = rendering.plugin.services
  const taxonomy = taxonomies.get(branding.ownTypeName(textOf(attributes, 'taxonomy') || 'category'))
  if (taxonomy === undefined || !taxonomy.publicly_queryable) return ''
  const nested = attributes['showHierarchy'] === true && taxonomy.hierarchical
  const query = {
    taxonomy: taxonomy.name,
    hideEmpty: attributes['showEmpty'] !== true,
    hierarchical: nested,
    tieOrder: 'desc' as const,
    ...(attributes['showOnlyTopLevel'] === true && { parent: 0 }),
    limit: MAX_TERMS,
  }
  const found = await rendering.once(['terms', query], () => terms.query(query, rendering.scope))
  const below = nested ? byParent(found.items) : new Map([[0, found.items]])
  const counts = attributes['showPostCounts'] === true
  const blockClass = rendering.classOf(block)
  const kind = `${blockClass}-taxonomy-${classValue(taxonomy.name)}`
  if (attributes['displayAsDropdown'] === true) {
    const label = rendering.richText(textOf(attributes, 'label')) || escapeHtmlOnce(taxonomy.labels['name'] ?? '')
    const options = flat(below, 0, 0).map(([term, level]) => {
      const count = counts ? `&nbsp;&nbsp;(${term.count})` : ''
      const text = `${'&nbsp;'.repeat(3 * level)}${escapeHtmlOnce(term.name)}${count}`
      return `\t<option class="level-${level}" value="${classValue(term.slug)}">${text}</option>\n`
    })
    const { t } = await rendering.texts()
    const prompt = t('Select {name}', { name: escapeHtmlOnce(taxonomy.labels['singular_name'] ?? taxonomy.name) })
    const name = escapeHtml(taxonomy.query_var || taxonomy.name)
    return dropdown(block, rendering, {
      class: `${blockClass}-dropdown ${kind}`,
      label,
      labelOf: (id, classes, text) => `<label class="${classes}" for="${id}">${text}</label>`,
      select: (id, form) =>
        `<select  name='${name}' id='${id}' class='postform' form='${form}'>\n` +
        `\t<option value='${NO_TERM}'>${prompt}</option>\n${options.join('')}</select>\n`,
    })
  }
  const urls = new Map<number, string>()
  await mapInSlices(found.items, async (term) => {
    urls.set(term.id, await rendering.plugin.services.permalinks.term(term, rendering.scope))
  })
  const items = listed(below, 0, 0, { urls, counts })
  const { t } = await rendering.texts()
  const empty = `<li class="cat-item-none">${t('No categories')}</li>`
  return `<ul ${wrapperAttributes(block, { class: `${blockClass}-list ${kind}` })}>${items || empty}</ul>`
}

interface Shown {
  readonly urls: ReadonlyMap<number, string>
  readonly counts: boolean
}

type Below = ReadonlyMap<number, readonly Term[]>

function listed(below: Below, parent: number, level: number, shown: Shown): string {
  if (level > MAX_LEVELS) return ''
  return (below.get(parent) ?? [])
    .map((term) => {
      const count = shown.counts ? ` (${term.count})` : ''
      const name = escapeHtmlOnce(term.name)
      const link = `<a href="${urlValue(shown.urls.get(term.id) ?? '')}">${name}</a>${count}`
      const inside = parent === 0 && below.size === 1 ? '' : listed(below, term.id, level + 1, shown)
      const indent = '\t'.repeat(level)
      const children = inside === '' ? '' : `${indent}<ul class='children'>\n${inside}${indent}</ul>\n`
      return `\t<li class="cat-item cat-item-${term.id}">${link}\n${children}</li>\n`
    })
    .join('')
}

/** Returns the terms in tree order, with their levels. */
function flat(below: Below, parent: number, level: number): [term: Term, level: number][] {
  if (level > MAX_LEVELS) return []
  return (below.get(parent) ?? []).flatMap((term): [Term, number][] => [
    [term, level],
    ...(parent === 0 && below.size === 1 ? [] : flat(below, term.id, level + 1)),
  ])
}

/** Groups terms by parent. Terms whose parent is not listed are at the top level. */
function byParent(terms: readonly Term[]): Map<number, Term[]> {
  const ids = new Set(terms.map(({ id }) => id))
  const below = new Map<number, Term[]>([[0, []]])
  for (const term of terms) {
    const parent = ids.has(term.parent_id) ? term.parent_id : 0
    const list = below.get(parent)
    if (list === undefined) below.set(parent, [term])
    else list.push(term)
  }
  return below
}
