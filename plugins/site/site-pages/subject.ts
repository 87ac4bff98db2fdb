import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import { escapeHtmlOnce as escapeOnce } from '../../library/markup/index.ts'
import type { Words } from '../../foundation/translations/index.ts'
import type { PostQuery } from '../../content/posts/index.ts'
import {
  type CommentsPage,
  type PageArchive,
  type QueryPage,
  contentParts,
  withSticky,
} from '../../rendering/core-blocks/index.ts'
import { plainText } from '../../rendering/html/index.ts'
import { commentsPageOf } from './comments-page.ts'
import type { FoundPage } from '../../content/permalinks/index.ts'

/** The content that a page shows. */
export interface Subject {
  /** The content that the URL identifies; null if the URL does not exist. */
  readonly found: FoundPage | null
  /** Whether this is the front page of the site. */
  readonly isFront: boolean
  /** Whether this is the page that lists the newest posts. */
  readonly isPostsPage: boolean
  readonly list: QueryPage | null
  readonly archive: PageArchive | null
  /** The comments to show; null if the page does not show a post. */
  readonly comments: CommentsPage | null
  /** Title as plain text. */
  readonly title: string
  /** Number of the page in its list, or of the part of its content. */
  readonly page: number
  readonly pages: number
  /** URL of the first page; null for a search, and if the URL does not exist. */
  readonly url: string | null
}

/** Highest page number of a list; higher ones get a 404, because they cost as much as reading all pages before them. */
const MAX_PAGE_NUMBER = 10_000
/** Maximum number of posts per page, also if the setting `posts_per_page` is negative, which means all posts. */
const MAX_POSTS_PER_PAGE = 100

export const NOTHING: Subject = {
  found: null,
  isFront: false,
  isPostsPage: false,
  list: null,
  archive: null,
  comments: null,
  title: '',
  page: 1,
  pages: 1,
  url: null,
}

/**
 * Returns the content at a URL with the list to show; `NOTHING`, which renders a 404 page, if the page number does not
 * exist.
 */
export async function subjectOf(plugin: PluginContext, found: FoundPage, scope: RequestCache): Promise<Subject> {
  const { front, posts } = await plugin.services.permalinks.frontPages(scope)
  const isFront = found.kind === 'home' || (found.kind === 'post' && front > 0 && found.post.id === front)
  const isPostsPage = found.kind === 'post' && posts > 0 && found.post.id === posts && !isFront
  const common = { found, isFront, isPostsPage, url: found.url }
  if (found.kind === 'post' && !isPostsPage) {
    const pages = contentParts(found.post.content, plugin.branding.blockMark).length
    const title = plainText(await plugin.services.contentRendering.pageTitle(found.post))
    const comments = await commentsPageOf(plugin, found, found.commentPage, scope)
    if (found.page > pages || comments === null) return NOTHING
    return { ...common, list: null, archive: null, comments, title, page: found.page, pages }
  }
  const list = await listOf(plugin, found, scope)
  if (list === null) return NOTHING
  const words = await plugin.services.translations.site()
  const archive = archiveOf(found, words)
  const title =
    found.kind === 'post'
      ? plainText(await plugin.services.contentRendering.pageTitle(found.post))
      : found.kind === 'search'
        ? words.t('Search results for “{words}”', { words: found.search })
        : plainText(archive?.name ?? '')
  return { ...common, list, archive, comments: null, title, page: list.page, pages: Math.max(list.pages, 1) }
}

/** Returns a page of the posts that visitors may read, also for logged-in users; null if the list has no such page. */
async function listOf(plugin: PluginContext, found: FoundPage, scope: RequestCache): Promise<QueryPage | null> {
  const { options, posts } = plugin.services
  const { page } = found
  const query = page > MAX_PAGE_NUMBER ? null : queryOf(plugin, found)
  if (query === null) return null
  const set = Number(await options.get('posts_per_page', 10)) || 10
  const perPage = set < 0 ? MAX_POSTS_PER_PAGE : Math.min(set, MAX_POSTS_PER_PAGE)
  const range = { limit: perPage, offset: (page - 1) * perPage }
  const { items, total } = await posts.query(await posts.forPage({ ...query, ...range }, scope), scope)
  const pages = Math.ceil(total / perPage)
  // An empty first page is valid: it says that there are no posts.
  if (page > 1 && page > pages) return null
  if (total === 0 && found.kind === 'date') return null
  const isNewest = found.kind === 'home' || found.kind === 'post'
  const shown = page === 1 && isNewest ? await withSticky(items, query, { plugin, scope }) : items
  return { posts: shown, total, perPage, page, pages }
}

function queryOf({ services }: PluginContext, found: FoundPage): Omit<PostQuery, 'limit'> | null {
  const newest = { types: ['post'], statuses: ['publish'], orderby: 'date', order: 'desc' } as const
  switch (found.kind) {
    case 'search': {
      const types = services.contentTypes.all().filter((type) => type.viewable && !type.exclude_from_search)
      const names = types.flatMap(({ name }) => (name === 'attachment' ? [] : [name]))
      return {
        ...newest,
        types: names,
        ...(found.search !== '' && { search: found.search, orderby: 'relevance' as const }),
      }
    }
    case 'term': {
      const { id, taxonomy } = found.term
      const of = services.contentTypes
        .all()
        .filter(
          ({ name, viewable }) => viewable && services.taxonomies.ofType(name).some((one) => one.name === taxonomy),
        )
      const types = of.flatMap(({ name }) => (name === 'attachment' ? [] : [name]))
      return types.length === 0
        ? null
        : { ...newest, types, terms: [{ taxonomy, terms: [id], operator: 'in', includeChildren: true }] }
    }
    case 'author':
      return { ...newest, author: [found.user.id] }
    case 'date':
      return { ...newest, ...rangeOf(found.period) }
    case 'type':
      return { ...newest, types: [found.type.name] }
    case 'home':
    case 'post':
      return newest
  }
}

/** Returns the date range of a period; both limits are exclusive. */
function rangeOf(period: string): { after: string; before: string } {
  const [year = 0, month, day] = period.split('-').map(Number)
  const time = (y: number, m: number, d: number, seconds: number) =>
    new Date(Date.UTC(y, m - 1, d) + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
  const end =
    day !== undefined
      ? time(year, month!, day + 1, 0)
      : month !== undefined
        ? time(year, month + 1, 1, 0)
        : time(year + 1, 1, 1, 0)
  return { after: time(year, month ?? 1, day ?? 1, -1), before: end }
}

function archiveOf(found: FoundPage, words: Words): PageArchive | null {
  switch (found.kind) {
    case 'term': {
      const { term } = found
      const { taxonomy } = term
      const label =
        taxonomy === 'category' ? words.t('archive|Category') : taxonomy === 'post_tag' ? words.t('archive|Tag') : ''
      return { label, name: escapeOnce(term.name), term }
    }
    case 'author':
      return { label: words.t('archive|Author'), name: escapeOnce(found.user.name), term: null }
    case 'date':
      return { ...periodName(found.period, words), term: null }
    case 'type':
      return { label: words.t('Archives'), name: escapeOnce(found.type.label), term: null }
    case 'home':
    case 'post':
    case 'search':
      return null
  }
}

function periodName(period: string, words: Words): { label: string; name: string } {
  const [year = '', month, day] = period.split('-')
  if (month === undefined) return { label: words.t('archive|Year'), name: year }
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1))
  const named = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(words.language, { year: 'numeric', month: 'long', timeZone: 'UTC', ...options }).format(
      date,
    )
  return day === undefined
    ? { label: words.t('archive|Month'), name: named({}) }
    : { label: words.t('archive|Day'), name: named({ day: 'numeric' }) }
}
