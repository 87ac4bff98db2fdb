import { applyFilter, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { mapInSlices } from '../../library/long-work/index.ts'
import type { Comment } from '../../content/comments/index.ts'
import type { Post, PostQuery } from '../../content/posts/index.ts'
import { plainText } from '../../rendering/html/index.ts'
import { html } from '../../library/markup/index.ts'
import type { Feed, FeedEntry } from './feed.ts'
import type { FeedFormat } from './feed-url.ts'
import { FEED_FORMATS } from './formats.ts'
import type { FeedSubject } from './subject.ts'
import { timeOf } from './xml.ts'

/** Maximum number of entries in a feed, also if the setting `posts_per_rss` is higher. */
const MAX_ENTRIES = 100
/** Taxonomies whose terms are listed as categories of an entry. */
const CATEGORY_TAXONOMIES = ['category', 'post_tag']

/**
 * Builds a feed of the newest content that visitors may read. Posts with a password are listed, with a notice in place
 * of their content.
 */
export async function buildFeed(
  plugin: PluginContext,
  subject: FeedSubject,
  format: FeedFormat,
  scope: RequestCache,
): Promise<Feed> {
  const { options, translations } = plugin.services
  const words = await translations.site()
  const names = ['title', 'description', 'language', 'posts_per_rss', 'rss_use_excerpt'] as const
  const {
    title,
    description,
    language,
    posts_per_rss: postsPerFeed,
    rss_use_excerpt: usesExcerpt,
  } = await options.many(names)
  const limit = Math.min(Math.max(Math.trunc(Number(postsPerFeed)) || 1, 1), MAX_ENTRIES)
  const ofComments = subject.kind === 'comments' || subject.kind === 'post'
  const entries = ofComments
    ? await commentEntries(plugin, subject.kind === 'post' ? [subject.post.id] : [], limit, scope)
    : await postEntries(plugin, { ...queryOf(subject), limit }, Boolean(usesExcerpt), scope)
  const { about, page, feed } = await placeOf(plugin, subject, scope)
  const site = plainText(textOf(title))
  const path = FEED_FORMATS[format].path
  return {
    title: [about, site].filter((part) => part !== '').join(' – ') || words.t('Feed'),
    description: plainText(textOf(description)),
    language: textOf(language).replaceAll('_', '-') || 'en',
    page,
    url: feed(path),
    anonymous: words.t('Anonymous'),
    entries,
    modified: Math.max(0, ...entries.map((entry) => entry.modified)),
  }
}

/** Returns the query for the posts of a subject. */
function queryOf(subject: FeedSubject): Partial<PostQuery> {
  if (subject.kind === 'search') return { search: subject.search }
  if (subject.kind === 'type') return { types: [subject.type.name] }
  if (subject.kind === 'author') return { author: [subject.user.id] }
  if (subject.kind !== 'term') return {}
  const { taxonomy, id } = subject.term
  return { terms: [{ taxonomy, terms: [id], operator: 'in', includeChildren: true }] }
}

/** Returns the title of the subject, the URL of its page, and a function that returns the URL of its feed. */
async function placeOf(
  { services, urls }: PluginContext,
  subject: FeedSubject,
  scope: RequestCache,
): Promise<{ about: string; page: string; feed: (path: string) => string }> {
  const { permalinks, contentRendering: rendering } = services
  const words = await services.translations.site()
  const below = (about: string, page: string) => ({
    about,
    page,
    feed: (path: string) => `${page.replace(/\/?$/, '/')}${path}`,
  })
  if (subject.kind === 'term') return below(plainText(subject.term.name), await permalinks.term(subject.term, scope))
  if (subject.kind === 'type')
    return below(plainText(subject.type.labels.name ?? ''), await permalinks.typeArchive(subject.type, scope))
  if (subject.kind === 'author')
    return below(plainText(subject.user.name), await permalinks.author(subject.user, scope))
  if (subject.kind === 'post') {
    const title = plainText(await rendering.pageTitle(subject.post))
    const place = below(words.t('Comments on {title}', { title }), await permalinks.post(subject.post, scope))
    if (place.page !== (await permalinks.home(scope))) return place
    // The feed below the URL of the front page lists posts.
    const byId = (path: string) =>
      urls.site(`/?page_id=${subject.post.id}&feed=${path === FEED_FORMATS.atom.path ? 'atom' : 'rss2'}`)
    return { ...place, feed: byId }
  }
  if (subject.kind === 'search') {
    const query = `?s=${encodeURIComponent(subject.search.toWellFormed())}`
    const site = (path: string) => urls.site(`/${path}${query}`)
    return { about: words.t('Search results for “{words}”', { words: subject.search }), page: site(''), feed: site }
  }
  if (subject.kind === 'comments')
    return { about: words.t('Comments'), page: urls.site('/'), feed: (path) => urls.site(`/comments/${path}`) }
  return below('', await permalinks.home(scope))
}

async function postEntries(
  { services, urls }: PluginContext,
  query: Partial<PostQuery> & { limit: number },
  isShort: boolean,
  scope: RequestCache,
): Promise<FeedEntry[]> {
  const { permalinks, posts, contentRendering: rendering, terms, users } = services
  const words = await services.translations.site()
  const postQuery: PostQuery = { types: ['post'], statuses: ['publish'], orderby: 'date', order: 'desc', ...query }
  const { items } = await posts.query(await posts.forPage(postQuery, scope), scope)
  return mapInSlices(items, async (post: Post): Promise<FeedEntry> => {
    const [url, title, author, ofPost] = await Promise.all([
      permalinks.post(post, scope),
      rendering.pageTitle(post),
      users.get(post.author_id, scope),
      terms.ofPosts(scope).load(post.id),
    ])
    const isOpen = post.password === ''
    return {
      id: urls.site(`/?p=${post.id}`),
      title: plainText(title),
      url,
      author: plainText(author?.name ?? ''),
      categories: CATEGORY_TAXONOMIES.flatMap((name) => (ofPost.get(name) ?? []).map((term) => plainText(term.name))),
      published: timeOf(post.date_gmt),
      modified: timeOf(post.modified_gmt),
      summary: isOpen
        ? await rendering.excerpt(post, scope)
        : html`<p>${words.t('This content is password protected.')}</p>`.text,
      content: isShort || !isOpen ? null : await rendering.content(post, scope),
    }
  })
}

async function commentEntries(
  { hooks, services }: PluginContext,
  ids: readonly number[],
  limit: number,
  scope: RequestCache,
): Promise<FeedEntry[]> {
  const { comments, permalinks, posts, contentRendering: rendering } = services
  const words = await services.translations.site()
  const { items } = await comments.newest(limit, scope, { posts: ids })
  const entries = await mapInSlices(items, async (comment: Comment): Promise<FeedEntry | null> => {
    const post = await posts.get(comment.post_id, scope)
    if (post === undefined) return null
    const link = await permalinks.post(post, scope)
    const author = plainText(comment.author_name)
    const date = timeOf(comment.date_gmt)
    return {
      id: `${link}#comment-${comment.id}`,
      title: words.t('{author} on {title}', {
        author: author || words.t('Anonymous'),
        title: plainText(await rendering.pageTitle(post)),
      }),
      url: `${link}#comment-${comment.id}`,
      author,
      categories: [],
      published: date,
      modified: date,
      summary: await applyFilter(hooks.comment_text, comment.content, comment),
      content: null,
    }
  })
  return entries.filter((entry) => entry !== null)
}

function textOf(option: unknown): string {
  return typeof option === 'string' ? option : ''
}
