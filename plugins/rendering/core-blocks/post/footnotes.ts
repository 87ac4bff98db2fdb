import { classValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { isOpen, postOf } from './current-post.ts'

/** Maximum footnotes of a post. */
const MAX_FOOTNOTES = 1000

/** Renders the footnotes of a post, each with a link back to its reference. */
export const renderFootnotes: Renderer = async (block, rendering) => {
  const { meta } = rendering.plugin.services
  const post = await postOf(block, rendering)
  if (post === undefined || !isOpen(post, rendering)) return ''
  const notes = footnotesIn(await meta.single('post', post.id, 'footnotes', rendering.scope))
  if (notes.length === 0) return ''
  const { t } = await rendering.texts()
  const items = notes.map(({ id, content }, index) => {
    const label = t('Jump to footnote reference {number}', { number: index + 1 })
    const back = `<a href="#${id}-link" aria-label="${label}">↩︎</a>`
    return `<li id="${id}">${rendering.richText(content)} ${back}</li>`
  })
  return `<ol ${wrapperAttributes(block)}>${items.join('')}</ol>`
}

interface Footnote {
  id: string
  content: string
}

/** Parses the stored footnotes; invalid entries are dropped. */
function footnotesIn(stored: unknown): Footnote[] {
  if (typeof stored !== 'string' || stored === '') return []
  let list: unknown
  try {
    list = JSON.parse(stored)
  } catch {
    return []
  }
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_FOOTNOTES).flatMap((one: Partial<Footnote> | null) => {
    const id = typeof one?.id === 'string' ? classValue(one.id) : ''
    return id === '' || typeof one?.content !== 'string' ? [] : [{ id, content: one.content }]
  })
}
