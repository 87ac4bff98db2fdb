import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import type { Post, PostQuery } from '../../../content/posts/index.ts'
import { classValue, idsOf, numberOf, textOf, urlValue } from '../attributes.ts'
import { isOpen, linkOf, titleOf } from '../post/current-post.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { shownTime } from '../shown-time.ts'
import { plainText } from '../../html/index.ts'

/** Maximum posts in a list, and maximum words in an excerpt. */
const MAX_POSTS = 100
const MAX_EXCERPT_WORDS = 200
const ORDERS = new Set(['date', 'title', 'modified', 'author', 'id'])
const EXCERPT_END = '&hellip;'
const HIDDEN = 'This content is password protected.' as const

/** A listed post; `title` is HTML. */
interface Listed {
  readonly post: Post
  readonly url: string
  readonly title: string
}

/** Returns published posts, newest first unless the query sets another order. */
export async function newestPosts(query: Partial<PostQuery>, rendering: Rendering): Promise<Listed[]> {
  const { posts } = rendering.plugin.services
  const fullQuery = { types: ['post'], statuses: ['publish'], limit: MAX_POSTS, ...query }
  const { items } = await rendering.once(['posts', fullQuery], async () =>
    posts.query(await posts.forPage(fullQuery, rendering.scope), rendering.scope),
  )
  const { t } = await rendering.texts()
  return mapInSlices(items, async (post) => ({
    post,
    url: await linkOf(post, rendering),
    title: (await titleOf(post, rendering)) || t('(no title)'),
  }))
}

/** Renders the newest posts. */
export const renderLatestPosts: Renderer = async (block, rendering) => {
  const { attributes } = block
  const list = await newestPosts(queryOf(attributes), rendering)
  const blockClass = rendering.classOf(block)
  const images = await imagesOf(list, block, rendering)
  const items = await mapInSlices(
    list,
    async (one, at) => `<li>${images[at]}${await item(one, block, rendering)}</li>\n`,
    list.length,
  )
  const columns = Math.trunc(numberOf(attributes, 'columns', 0))
  const classes = [
    `${blockClass}__list`,
    // Content from before layouts has these attributes instead.
    ...(attributes['postLayout'] === 'grid' ? ['is-grid'] : []),
    ...(attributes['postLayout'] === 'grid' && columns > 0 ? [`columns-${columns}`] : []),
    ...(attributes['displayPostDate'] === true ? ['has-dates'] : []),
    ...(attributes['displayAuthor'] === true ? ['has-author'] : []),
  ]
  return `<ul ${wrapperAttributes(block, { class: classes.join(' ') })}>${items.join('')}</ul>`
}

function queryOf(attributes: CoreBlock['attributes']): Partial<PostQuery> {
  const orderby = textOf(attributes, 'orderBy')
  const author = idsOf(attributes['selectedAuthor'])
  const categories = Array.isArray(attributes['categories']) ? attributes['categories'] : []
  const terms = categories.flatMap((one: unknown) => idsOf((one as { id?: unknown } | null)?.id))
  return {
    limit: Math.min(Math.max(Math.trunc(numberOf(attributes, 'postsToShow', 5)), 1), MAX_POSTS),
    orderby: (ORDERS.has(orderby) ? orderby : 'date') as 'date',
    order: textOf(attributes, 'order').toLowerCase() === 'asc' ? 'asc' : 'desc',
    ...(author.length > 0 && { author }),
    ...(terms.length > 0 && { terms: [{ taxonomy: 'category', terms, operator: 'in', includeChildren: true }] }),
  }
}

async function item({ post, url, title }: Listed, block: CoreBlock, rendering: Rendering): Promise<string> {
  const { attributes } = block
  const blockClass = rendering.classOf(block)
  const { t } = await rendering.texts()
  const parts = [`<a class="${blockClass}__post-title" href="${urlValue(url)}">${title}</a>`]
  if (attributes['displayAuthor'] === true) {
    const author = await rendering.plugin.services.users.get(post.author_id, rendering.scope)
    if (author !== undefined)
      parts.push(
        `<div class="${blockClass}__post-author">${t('by {author}', { author: escapeHtmlOnce(author.name) })}</div>`,
      )
  }
  if (attributes['displayPostDate'] === true) {
    const time = await shownTime(post.date, '', rendering)
    if (time !== null)
      parts.push(`<time datetime="${time.iso}" class="${blockClass}__post-date">${escapeHtml(time.text)}</time>`)
  }
  if (attributes['displayPostContent'] === true) parts.push(await textOfPost({ post, url, title }, block, rendering))
  return parts.join('')
}

async function textOfPost({ post, url, title }: Listed, block: CoreBlock, rendering: Rendering): Promise<string> {
  const { attributes } = block
  const blockClass = rendering.classOf(block)
  const open = isOpen(post, rendering)
  const { t } = await rendering.texts()
  if (textOf(attributes, 'displayPostContentRadio') === 'full_post') {
    const content = open ? rendering.richText(await rendering.contentOf(post)) : t(HIDDEN)
    return `<div class="${blockClass}__post-full-content">${content}</div>`
  }
  const words = Math.min(Math.max(Math.round(numberOf(attributes, 'excerptLength', 55)), 0), MAX_EXCERPT_WORDS)
  const excerpt = open
    ? await rendering.plugin.services.contentRendering.excerptText(post, { words, more: EXCERPT_END }, rendering.scope)
    : t(HIDDEN)
  const cut = excerpt.endsWith(EXCERPT_END)
  const link =
    `<a class="${blockClass}__read-more" href="${urlValue(url)}" rel="noopener noreferrer">${t('Read more')}` +
    `<span class="screen-reader-text">: ${title}</span></a>`
  const text = rendering.plainText(cut ? excerpt.slice(0, -EXCERPT_END.length) : excerpt)
  return `<div class="${blockClass}__post-excerpt">${text}${cut ? `… ${link}` : ''}</div>`
}

/** Returns the featured images of posts, `''` for posts without one. Reads are batched for all posts. */
async function imagesOf(list: readonly Listed[], block: CoreBlock, rendering: Rendering): Promise<string[]> {
  const { attributes } = block
  if (attributes['displayFeaturedImage'] !== true) return list.map(() => '')
  const { scope, plugin } = rendering
  const { meta, media, posts } = plugin.services
  await meta.loadAll(
    'post',
    list.map(({ post }) => post.id),
    scope,
  )
  const size = classValue(textOf(attributes, 'featuredImageSizeSlug')) || 'thumbnail'
  const [width, height] = ['Width', 'Height'].map((name) => numberOf(attributes, `featuredImageSize${name}`, 0))
  const style = [width! > 0 ? `max-width:${width}px;` : '', height! > 0 ? `max-height:${height}px;` : ''].join('')
  const align = textOf(attributes, 'featuredImageAlign')
  const imageClass = `${rendering.classOf(block)}__featured-image${align === '' ? '' : ` align${classValue(align)}`}`
  return mapInSlices(
    list,
    async ({ post, url, title }) => {
      const image = await posts.get(await posts.featuredMedia(post.id, scope), scope)
      if (image?.type !== 'attachment') return ''
      const data = await media.data(image, scope)
      const html = media.featuredImage(data, size, { class: `${rendering.mark}-post-image`, style })
      const shown = style === '' ? html.replace(' decoding=', ' style="" decoding=') : html
      if (attributes['addLinkToFeaturedImage'] !== true) return `<div class="${imageClass}">${shown}</div>`
      const label = escapeHtml(plainText(title))
      return `<div class="${imageClass}"><a href="${urlValue(url)}" aria-label="${label}">${shown}</a></div>`
    },
    list.length,
  )
}
