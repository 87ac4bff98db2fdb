import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import { numberOf, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { plainText } from '../../html/index.ts'

const SIZE = /^(\d{1,4}(?:\.\d{1,4})?)(px|pt|em|rem|%|vw|vh|in|cm|mm|pc|ch|ex|vmin|vmax)?$/
/** Maximum terms in a cloud. */
const MAX_TERMS = 100
const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'accent' })

/** Returns a note for the author in a preview, and nothing for readers. */
async function nothing(block: CoreBlock, rendering: Rendering): Promise<string> {
  if (!rendering.isPreview) return ''
  const { t } = await rendering.texts()
  const text = t('There’s no content to show here yet.').replaceAll('’', '&#8217;')
  return `<p ${wrapperAttributes(block)}>${text}</p>`
}

/** Renders the most used terms of a taxonomy, in sizes by their use. */
export const renderTagCloud: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { plugin, scope } = rendering
  const { permalinks, taxonomies, terms } = plugin.services
  const taxonomy = taxonomies.get(plugin.branding.ownTypeName(textOf(attributes, 'taxonomy') || 'post_tag'))
  if (taxonomy === undefined || !taxonomy.publicly_queryable) return nothing(block, rendering)
  const limit = Math.min(Math.max(Math.trunc(numberOf(attributes, 'numberOfTags', 45)), 1), MAX_TERMS)
  const query = {
    taxonomy: taxonomy.name,
    hideEmpty: true,
    orderby: 'count' as const,
    order: 'desc' as const,
    tieOrder: 'desc' as const,
    limit,
  }
  const { items } = await rendering.once(['terms', query], () => terms.query(query, scope))
  if (items.length === 0) return nothing(block, rendering)
  const scales = items.map(({ count }) => Math.round(Math.log10(count + 1) * 100))
  const least = Math.min(...scales)
  const spread = Math.max(Math.max(...scales) - least, 1)
  const [, smallest = '8', unit = 'pt'] = SIZE.exec(textOf(attributes, 'smallestFontSize')) ?? []
  const [, largest = '22'] = SIZE.exec(textOf(attributes, 'largestFontSize')) ?? []
  const step = Math.max(Number(largest) - Number(smallest), 0) / spread
  const sized = items
    .map((term, at) => ({ term, size: Number(smallest) + (scales[at]! - least) * step }))
    .toSorted((a, b) => NAMES.compare(a.term.name, b.term.name))
  const texts = await rendering.texts()
  const links = await mapInSlices(sized, async ({ term, size }, at) => {
    const count = attributes['showTagCounts'] === true ? `<span class="tag-link-count"> (${term.count})</span>` : ''
    const label = `${escapeHtml(plainText(term.name))} (${texts.count(term.count, '1 item', '{count} items')})`
    return (
      `<a href="${urlValue(await permalinks.term(term, scope))}" ` +
      `class="tag-cloud-link tag-link-${term.id} tag-link-position-${at + 1}" ` +
      `style="font-size: ${Number(size.toPrecision(14))}${unit};" aria-label="${label}">` +
      `${escapeHtmlOnce(term.name)}${count}</a>`
    )
  })
  return `<p ${wrapperAttributes(block)}>${links.join('\n')}</p>`
}
