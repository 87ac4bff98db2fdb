import { VISITOR, type Awaitable, type PluginContext, type RequestCache } from '../../../../kernel/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import { cacheUntil } from '../../../library/caching/index.ts'
import { loaderOf } from '../../../storage/store/index.ts'
import type { Post } from '../../posts/index.ts'
import { isImage } from '../attachment-data.ts'

const MAX_IMAGES = 1000
/** Milliseconds for which a gallery in random order keeps its order. */
const RANDOM_ORDER_MS = 3_600_000

/** Comparators by value of `orderby`. */
const ORDERS: Readonly<Record<string, (one: Post, other: Post) => number>> = {
  menu_order: (one, other) => one.menu_order - other.menu_order || one.id - other.id,
  id: (one, other) => one.id - other.id,
  title: (one, other) => Number(one.title > other.title) - Number(one.title < other.title),
  date: (one, other) => Number(one.date > other.date) - Number(one.date < other.date),
}

/**
 * Returns the images of a gallery in order: public images, and images attached to the post that shows the gallery,
 * which every reader of that post may see.
 * @param attributes of the shortcode
 * @param posts IDs: `parent` is the post whose images are shown if the attributes name none, `shownIn` the post with
 * the shortcode
 */
export async function galleryImages(
  plugin: PluginContext,
  attributes: Readonly<Record<string, string>>,
  { parent, shownIn }: { parent: number; shownIn: number },
  scope: RequestCache,
): Promise<Post[]> {
  const { posts } = plugin.services
  const ids = attributes['ids'] ?? attributes['include']
  const excluded = parseIds(attributes['exclude'] ?? '')
  const attachments =
    ids === undefined
      ? await attachedTo(plugin, parent, scope)
      : await Promise.all(parseIds(ids).map(async (id) => posts.get(id, scope)))
  const candidates = attachments.filter(
    (post): post is Post =>
      post?.type === 'attachment' && post.status === 'inherit' && isImage(post) && !excluded.includes(post.id),
  )
  const readable = await mapInSlices(
    candidates,
    (image) => image.parent_id === shownIn || posts.isReadable(image, VISITOR, scope),
    MAX_IMAGES,
  )
  return ordered(
    candidates.filter((_, index) => readable[index]),
    attributes,
  )
}

function ordered(images: Post[], attributes: Readonly<Record<string, string>>): Post[] {
  const orderby = attributes['orderby'] ?? (attributes['ids'] === undefined ? 'menu_order' : 'post__in')
  const by = orderby.trim().split(/\s+/, 1)[0]!
  if (by === 'rand') {
    cacheUntil(Date.now() + RANDOM_ORDER_MS)
    return shuffled(images)
  }
  const order = ORDERS[by.toLowerCase()]
  if (order !== undefined) images.sort(order)
  return attributes['order']?.toLowerCase() === 'desc' ? images.toReversed() : images
}

/** Loads the attachments of a post. Within a request, loads for several posts share one statement. */
function attachedTo({ services }: PluginContext, id: number, scope: RequestCache): Awaitable<Post[]> {
  const { store } = services
  const read = async (parents: readonly number[]) => {
    const rows = await store.all(
      store.forIds('attachments for galleries', parents, (some) =>
        store.db.selectFrom('posts').selectAll().where('type', '=', 'attachment').where('parent_id', 'in', some),
      ),
    )
    const byParent = Map.groupBy(rows, (row) => row.parent_id)
    return parents.map((parent): Post[] => (byParent.get(parent) ?? []).slice(0, MAX_IMAGES))
  }
  const tags = { of: (parent: number) => [`posts:parent=${parent}`, `unpublished:posts:parent=${parent}`] }
  return loaderOf(scope, 'attachments for galleries', read, tags).load(id)
}

function parseIds(list: string): number[] {
  const ids = list
    .split(/[\s,]+/)
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0)
  return [...new Set(ids)].slice(0, MAX_IMAGES)
}

function shuffled<T>(list: readonly T[]): T[] {
  const remaining = [...list]
  return list.map(() => remaining.splice(Math.floor(Math.random() * remaining.length), 1)[0]!)
}
