import { numberOf, textOf } from '../attributes.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import type { Texts } from '../texts.ts'
import { isOpen, postOf } from './current-post.ts'

/** Default reading speed. */
const WORDS_PER_MINUTE = 189

/** Renders the reading time of a post, or its number of words. */
export const renderTimeToRead: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await postOf(block, rendering)
  if (post === undefined || !isOpen(post, rendering)) return ''
  const texts = await rendering.texts()
  const words = wordsOf(post.content, rendering)
  const shown =
    textOf(attributes, 'displayMode') === 'words'
      ? texts.count(words, '{count} word', '{count} words')
      : minutesText(
          texts,
          words / Math.max(numberOf(attributes, 'averageReadingSpeed', WORDS_PER_MINUTE), 1),
          attributes,
        )
  return `<div ${wrapperAttributes(block)}>${shown}</div>`
}

function minutesText({ t, count }: Texts, exact: number, attributes: Readonly<Record<string, unknown>>): string {
  const whole = (minutes: number) => Math.max(Math.round(minutes), 1)
  const minutes = whole(exact)
  if (attributes['displayAsRange'] === false) return count(minutes, '{count} minute', '{count} minutes')
  const minimum = whole(minutes * 0.8)
  const maximum = Math.max(whole(minutes * 1.2), minimum + 1)
  return t('{minimum}–{maximum} minutes', { minimum, maximum })
}

/** Counts the words of content, without markup. */
function wordsOf(content: string, { plugin }: Rendering): number {
  let words = 0
  for (const { kind, text } of plugin.services.contentRendering.pieces(content)) {
    if (kind === 'text') words += text.split(/\s+/).filter((word) => word !== '').length
  }
  return words
}
