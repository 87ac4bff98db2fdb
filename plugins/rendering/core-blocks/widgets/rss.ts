import { doNotKeep, escapeHtml } from '../../../../kernel/index.ts'
import { numberOf, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { shownTime } from '../shown-time.ts'
import { feedEntries, type FeedEntry } from './feed.ts'
import { feedOf } from './feeds.ts'

/** The most entries that are shown, and words of an excerpt. */
const MOST = 20
const MOST_WORDS = 100

/** The newest entries of a feed. */
export const renderRss: Renderer = async (block, rendering) => {
  const { attributes } = block
  const url = textOf(attributes, 'feedURL').trim()
  if (!/^https?:\/\//i.test(url)) return notice(block, 'The feed needs a URL that begins with https.')
  doNotKeep('a feed of another site')
  const text = await feedOf(rendering, url)
  if (text === null) return notice(block, 'The feed cannot be read.')
  const most = Math.min(Math.max(Math.trunc(numberOf(attributes, 'itemsToShow', 5)), 1), MOST)
  const entries = feedEntries(text, most)
  if (entries.length === 0) return notice(block, 'The feed has no entries.')
  const items: string[] = []
  for (const entry of entries) items.push(await item(entry, block, rendering))
  const columns = Math.min(Math.max(Math.trunc(numberOf(attributes, 'columns', 2)), 2), 6)
  const classes = [
    ...(textOf(attributes, 'blockLayout') === 'grid' ? [`is-grid columns-${columns}`] : []),
    ...(attributes['displayDate'] === true ? ['has-dates'] : []),
    ...(attributes['displayAuthor'] === true ? ['has-authors'] : []),
    ...(attributes['displayExcerpt'] === true ? ['has-excerpts'] : []),
  ]
  return `<ul ${wrapperAttributes(block, { class: classes.join(' ') })}>${items.join('')}</ul>`
}

async function item(entry: FeedEntry, block: CoreBlock, rendering: Rendering): Promise<string> {
  const { attributes } = block
  const own = rendering.classOf(block)
  const href = urlValue(entry.url)
  const title = escapeHtml(entry.title || '(no title)')
  const target = attributes['openInNewTab'] === true ? ' target="_blank"' : ''
  const rel = textOf(attributes, 'rel')
  const linked =
    href === '' ? title : `<a href="${href}"${target}${rel === '' ? '' : ` rel="${escapeHtml(rel)}"`}>${title}</a>`
  const time =
    attributes['displayDate'] === true && entry.date !== '' ? await shownTime(entry.date, '', rendering) : null
  const date =
    time === null
      ? ''
      : `<time datetime="${time.iso}" class="${own}__item-publish-date">${escapeHtml(time.text)}</time> `
  const author =
    attributes['displayAuthor'] === true && entry.author !== ''
      ? `<span class="${own}__item-author">by ${escapeHtml(entry.author)}</span>`
      : ''
  const words = Math.min(Math.max(Math.round(numberOf(attributes, 'excerptLength', 55)), 1), MOST_WORDS)
  const excerpt =
    attributes['displayExcerpt'] === true && entry.text !== ''
      ? `<div class="${own}__item-excerpt">${escapeHtml(shortened(entry.text, words))}</div>`
      : ''
  return `<li class='${own}__item'><div class='${own}__item-title'>${linked}</div>${date}${author}${excerpt}</li>`
}

function shortened(text: string, most: number): string {
  const words = text.split(/\s+/)
  return words.length > most ? `${words.slice(0, most).join(' ')} […]` : words.join(' ')
}

function notice(block: CoreBlock, text: string): string {
  return `<div ${wrapperAttributes(block)}><p>${text}</p></div>`
}
