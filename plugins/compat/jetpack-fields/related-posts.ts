import {
  formatDate,
  loaderOf,
  localTime,
  plainText,
  VISITOR,
  type PluginContext,
  type Post,
  type RequestCache,
  type RestRequest,
  type Term,
} from '../../public.ts'

/** Newest posts of each term that are compared. */
const MAX_POSTS_PER_TERM = 30
/** Terms of a post that are compared. */
const MAX_TERMS = 20
const TAXONOMIES = ['category', 'post_tag']
/** Smallest width of the shown image, if it has a version of this width. */
const IMAGE_WIDTH = 350
const EXCERPT_WORDS = 50

/** A post that shares terms with another. */
interface Candidate {
  readonly id: number
  /** Stored date. */
  readonly date: string
  readonly shared: Term[]
}

/**
 * Returns the published posts that share the most categories and tags with a post, newest first among equals. The posts
 * of all terms in a list are read in one statement.
 */
export async function relatedPosts(
  plugin: PluginContext,
  id: number,
  { scope }: RestRequest,
  limit: number,
): Promise<object[]> {
  const { posts, terms } = plugin.services
  const ofPost = await terms.ofPosts(scope).load(id)
  const own = TAXONOMIES.flatMap((taxonomy) => ofPost.get(taxonomy) ?? []).slice(0, MAX_TERMS)
  const loader = newestOfTerms(plugin, scope)
  const newest = await Promise.all(own.map(async ({ id: term, taxonomy }) => loader.load(`${taxonomy}=${term}`)))
  const candidates = new Map<number, Candidate>()
  own.forEach((term, index) => {
    for (const post of newest[index]!) {
      if (post.id === id) continue
      const candidate = candidates.get(post.id) ?? { ...post, shared: [] }
      candidate.shared.push(term)
      candidates.set(post.id, candidate)
    }
  })
  const sorted = [...candidates.values()].toSorted(
    (a, b) => b.shared.length - a.shared.length || (a.date < b.date ? 1 : -1),
  )
  // Protected posts are left out, so a few more are read.
  const best = await Promise.all(
    sorted.slice(0, limit * 2).map(async ({ id: one, shared }) => ({ post: await posts.get(one, scope), shared })),
  )
  const shown = best.filter(({ post }) => post?.status === 'publish' && post.password === '').slice(0, limit)
  return Promise.all(
    shown.map(({ post, shared }, at) => itemOf(plugin, { post: post!, shared, origin: id, at }, scope)),
  )
}

/** Loads the newest published posts of terms, by a key such as `category=3`. */
function newestOfTerms({ services: { store } }: PluginContext, scope: RequestCache) {
  const read = async (keys: readonly string[]): Promise<Omit<Candidate, 'shared'>[][]> => {
    const ids = keys.map((key) => Number(key.slice(key.indexOf('=') + 1)))
    const ranked = store.db
      .selectFrom('term_relationships')
      .where('term_id', 'in', ids)
      .where('post_type', '=', 'post')
      .where('post_status', '=', 'publish')
      .select(({ fn }) => [
        'term_id',
        'post_id',
        'post_date',
        fn
          .agg<number>('row_number')
          .over((over) => over.partitionBy('term_id').orderBy('post_date', 'desc'))
          .as('rank'),
      ])
    const rows = await store.all(
      store.db
        .selectFrom(ranked.as('ranked'))
        .where('rank', '<=', MAX_POSTS_PER_TERM)
        .select(['term_id', 'post_id', 'post_date']),
    )
    const byTerm = Map.groupBy(rows, ({ term_id: term }) => term)
    return ids.map((id) => (byTerm.get(id) ?? []).map(({ post_id: post, post_date: date }) => ({ id: post, date })))
  }
  return loaderOf(scope, 'jetpack-fields: newest posts of terms', read, { of: (key: string) => [`posts:${key}`] })
}

interface Related {
  readonly post: Post
  readonly shared: readonly Term[]
  /** ID of the post that it is related to. */
  readonly origin: number
  /** Place in the list, from 0. */
  readonly at: number
}

async function itemOf(plugin: PluginContext, { post, shared, origin, at }: Related, scope: RequestCache) {
  const { contentRendering, options, permalinks, translations, users } = plugin.services
  const { date_format: format } = await options.many(['date_format'])
  const words = await translations.site()
  const title = plainText(await contentRendering.pageTitle(post))
  const author = await users.get(post.author_id, scope)
  const seconds = Date.parse(`${post.date.replace(' ', 'T')}Z`) / 1000
  return {
    id: post.id,
    url: await permalinks.post(post, scope),
    url_meta: { origin, position: at },
    title,
    author: author?.name ?? '',
    date: formatDate(String(format), localTime(seconds, 'UTC'), words.language),
    format: false,
    excerpt: plainText(await contentRendering.excerptText(post, { words: EXCERPT_WORDS, more: '…' }, scope)),
    rel: '',
    context: `In "${plainText(shared[0]!.name)}"`,
    img: await imageOf(plugin, post, title, scope),
    classes: [],
  }
}

/** Returns the featured image in the smallest version that is wide enough; an empty URL if the post has none. */
async function imageOf({ services }: PluginContext, post: Post, title: string, scope: RequestCache) {
  const { media, posts } = services
  const image = await posts.get(await posts.featuredMedia(post.id, scope), scope)
  if (image?.type !== 'attachment' || !(await posts.isReadable(image, VISITOR, scope)))
    return { alt_text: '', src: '', width: 0, height: 0 }
  const { alt, sizes, url, details } = await media.data(image, scope)
  const wide = Object.values(sizes)
    .filter(({ width }) => width >= IMAGE_WIDTH)
    .toSorted((a, b) => a.width - b.width)
  const {
    source_url: src,
    width,
    height,
  } = wide[0] ?? {
    source_url: url,
    width: Number(details['width']) || 0,
    height: Number(details['height']) || 0,
  }
  return { alt_text: alt || title, src, width, height }
}
