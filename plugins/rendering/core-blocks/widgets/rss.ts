import { requestOf } from '../../../../kernel/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import type { Requester } from '../../../foundation/outgoing/index.ts'
import type { FeedEntry } from '../../feed-reader/index.ts'
import { numberOf, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { shownTime } from '../shown-time.ts'

/** Maximum entries shown, and maximum words in an excerpt. */
const MAX_ENTRIES = 20
const MAX_WORDS = 100
/** Maximum feeds in one post: each costs a statement, and a new one a fetch in the background. */
const MAX_FEEDS_PER_POST = 10

/** Renders the newest entries of a feed. */
export const renderRss: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { t } = await rendering.texts()
  const url = textOf(attributes, 'feedURL').trim()
  const down = t('An error has occurred, which probably means the feed is down. Try again later.')
  if (!/^https?:\/\//i.test(url)) return notice(down)
  if (isHome(url, rendering)) {
    const latestPosts = `<strong>${t('Latest posts')}</strong>`
    return notice(
      t(
        'The RSS block cannot show the feed of this site’s homepage, because pages would wait for themselves. Use the block {latestPosts} to list posts of the site.',
        { latestPosts },
      ),
    )
  }
  const stored = await storedEntries(rendering, url)
  if (stored === null) return notice(`<strong>${t('RSS Error:')}</strong> ${t('The feed is not available yet.')}`)
  const limit = Math.min(Math.max(Math.trunc(numberOf(attributes, 'itemsToShow', 5)), 1), MAX_ENTRIES)
  const entries = stored.slice(0, limit)
  if (entries.length === 0) return notice(down)
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

/** Whether a URL is that of the home page, with or without a slash at its end. */
function isHome(url: string, { plugin }: Rendering): boolean {
  const { urls } = plugin
  const bare = url.replace(/\/+$/, '')
  return [urls.home, urls.site('/')].some((one) => one.replace(/\/+$/, '') === bare)
}

/** Returns the stored entries of a feed; null until it has been fetched, or if the content shows too many feeds. */
async function storedEntries(rendering: Rendering, url: string): Promise<readonly FeedEntry[] | null> {
  const { plugin, post, scope } = rendering
  if (!plugin.has('feed-reader')) return null
  // Counted per post, not per response: a cached item must not depend on the items around it.
  const shown = scope.get(`core-blocks: feeds of ${post?.id ?? ''}`, () => new Set<string>())
  if (shown.size >= MAX_FEEDS_PER_POST && !shown.has(url)) return null
  shown.add(url)
  return plugin.services.feedReader.entries(url, { requester: requesterFor(rendering), scope })
}

/**
 * Returns who fetches are charged to: the author of the content; outside of posts, the user of the request, or the
 * site.
 */
function requesterFor({ post, scope }: Rendering): Requester {
  return post?.author_id || requestOf(scope)?.user.id || 'site'
}

async function item(entry: FeedEntry, block: CoreBlock, rendering: Rendering): Promise<string> {
  const { attributes } = block
  const blockClass = rendering.classOf(block)
  const href = urlValue(entry.url)
  const { t } = await rendering.texts()
  const title = escapeHtml(entry.title) || t('(no title)')
  const target = attributes['openInNewTab'] === true ? ' target="_blank"' : ''
  const rel = textOf(attributes, 'rel')
  const linked =
    href === '' ? title : `<a href="${href}"${target}${rel === '' ? '' : ` rel="${escapeHtml(rel)}"`}>${title}</a>`
  const time =
    attributes['displayDate'] === true && entry.date !== '' ? await shownTime(entry.date, '', rendering) : null
  const date =
    time === null
      ? ''
      : `<time datetime="${time.iso}" class="${blockClass}__item-publish-date">${escapeHtml(time.text)}</time> `
  const author =
    attributes['displayAuthor'] === true && entry.author !== ''
      ? `<span class="${blockClass}__item-author">${t('by {author}', { author: escapeHtml(entry.author) })}</span>`
      : ''
  const words = Math.min(Math.max(Math.round(numberOf(attributes, 'excerptLength', 55)), 1), MAX_WORDS)
  const excerpt =
    attributes['displayExcerpt'] === true && entry.text !== ''
      ? `<div class="${blockClass}__item-excerpt">${escapeHtml(shortened(entry.text, words))}</div>`
      : ''
  return `<li class='${blockClass}__item'><div class='${blockClass}__item-title'>${linked}</div>${date}${author}${excerpt}</li>`
}

function shortened(text: string, maxWords: number): string {
  const words = text.split(/\s+/)
  return words.length > maxWords ? `${words.slice(0, maxWords).join(' ')} […]` : words.join(' ')
}

/** Renders a message in place of the entries. As in WordPress, it has no classes of the block. @param html of the message */
function notice(html: string): string {
  return `<div class="components-placeholder"><div class="notice notice-error">${html}</div></div>`
}
