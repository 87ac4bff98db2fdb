import DataLoader from 'dataloader'
import { mapInSlices, escapeHtml, VISITOR, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import type { Post } from '../posts/index.ts'
import type { ShortcodeCallback } from '../../rendering/shortcodes/index.ts'
import { dimensionsOf, factsOf, isImage } from './facts.ts'
import { imageMarkup } from './markup.ts'

/** Attributes of a gallery as they are written. */
type Given = Readonly<Record<string, string>>

/** More images than a page can show. */
const MOST = 1000
/** Characters of HTML that an image takes, with what there is of its versions. */
const CHARACTERS = 800
/** Images that are worked on together. */
const TOGETHER = 100

/** What galleries may be ordered by. */
const ORDERS: Readonly<Record<string, (one: Post, other: Post) => number>> = {
  menu_order: (one, other) => one.menu_order - other.menu_order || one.id - other.id,
  id: (one, other) => one.id - other.id,
  title: (one, other) => Number(one.title > other.title) - Number(one.title < other.title),
  date: (one, other) => Number(one.date > other.date) - Number(one.date < other.date),
}

/**
 * The shortcode `gallery`: the images that are attached to the post, or those that `ids` names, in the order of the
 * attributes `orderby` and `order`, as many in a row as `columns` says. `size` is one of the registered sizes; `link`
 * is `file`, `none`, or anything else for the page of the image.
 * @param prefix what the names of some classes begin with
 */
export function galleryShortcode(plugin: PluginContext, prefix: string): ShortcodeCallback {
  return async (given, _content, { post, scope, number, claim }) => {
    const of = Number.parseInt(given['id'] ?? '', 10) || post.id
    const named = await imagesOf(plugin, given, { of, shownIn: post.id }, scope)
    const images = named.slice(0, Math.floor(claim(named.length * CHARACTERS) / CHARACTERS))
    if (images.length === 0) return ''
    const columns = Math.max(Number.parseInt(given['columns'] ?? '3', 10) || 0, 0)
    const { imageSizes } = plugin.services
    const size = imageSizes.get(given['size'] ?? 'thumbnail') ?? { name: 'full', width: 0, height: 0, crop: false }
    const name = `gallery-${number}`
    const items = await mapInSlices(
      images,
      async (image) => {
        const facts = await factsOf(plugin, image, scope)
        const words = plugin.services.rendering.typography(image.excerpt.trim())
        const id = `${name}-${image.id}`
        const shown = imageMarkup(facts, size, words === '' ? {} : { 'aria-describedby': id })
        const original = dimensionsOf(facts.details)
        const shape = original === null ? '' : original.height > original.width ? ' portrait' : ' landscape'
        const linked = await withLink(plugin, shown, image, facts.url, given['link'], scope)
        const icon = `\n\t\t\t<div class='gallery-icon${shape}'>\n\t\t\t\t${linked}\n\t\t\t</div>`
        const caption = `\n\t\t\t\t<figcaption class='${prefix}-caption-text gallery-caption' id='${id}'>\n\t\t\t\t${words}\n\t\t\t\t</figcaption>`
        return `<figure class='gallery-item'>${icon}${words === '' ? '' : caption}</figure>`
      },
      TOGETHER,
    )
    const classes = `gallery galleryid-${of} gallery-columns-${columns} gallery-size-${size.name}`
    return `<div id='${name}' class='${classes}'>${items.join('')}\n\t\t</div>\n`
  }
}

async function withLink(
  { services }: PluginContext,
  html: string,
  image: Post,
  file: string,
  to: string | undefined,
  scope: RequestCache,
): Promise<string> {
  if (to === 'none') return html
  const address = to === 'file' ? file : await services.permalinks.post(image, scope)
  return `<a href='${escapeHtml(address)}'>${html}</a>`
}

/**
 * The images of a gallery, in its order: those that everybody may see, and those of the post that shows it, which are
 * seen by whoever sees the post.
 */
async function imagesOf(
  plugin: PluginContext,
  given: Given,
  { of, shownIn }: { of: number; shownIn: number },
  scope: RequestCache,
): Promise<Post[]> {
  const { posts } = plugin.services
  const named = given['ids'] ?? given['include']
  const excluded = numbers(given['exclude'] ?? '')
  const found =
    named === undefined
      ? await attachedTo(plugin, of, scope)
      : await Promise.all(numbers(named).map((id) => posts.get(id, scope)))
  const candidates = found.filter(
    (post): post is Post =>
      post?.type === 'attachment' && post.status === 'inherit' && isImage(post) && !excluded.includes(post.id),
  )
  const seen = await mapInSlices(
    candidates,
    (image) => image.parent_id === shownIn || posts.isReadable(image, VISITOR, scope),
    MOST,
  )
  const images = candidates.filter((_, index) => seen[index])
  const by = (given['orderby'] ?? (given['ids'] === undefined ? 'menu_order' : 'post__in')).trim().split(/\s+/, 1)[0]!
  if (by === 'rand') return shuffled(images)
  const order = ORDERS[by.toLowerCase()]
  if (order !== undefined) images.sort(order)
  return given['order']?.toLowerCase() === 'desc' ? images.toReversed() : images
}

/** The attachments of a post. Those of all posts that one request asks for come from one statement. */
function attachedTo({ services }: PluginContext, id: number, scope: RequestCache): Promise<Post[]> {
  const { store } = services
  const loader = scope.get('attachments for galleries', () => {
    return new DataLoader<number, Post[]>(async (parents) => {
      const rows = await store.all(
        store.forIds('attachments for galleries', parents, (some) =>
          store.db.selectFrom('posts').selectAll().where('type', '=', 'attachment').where('parent_id', 'in', some),
        ),
      )
      const byParent = Map.groupBy(rows, (row) => row.parent_id)
      return parents.map((parent) => (byParent.get(parent) ?? []).slice(0, MOST))
    })
  })
  return loader.load(id)
}

function numbers(list: string): number[] {
  const ids = list
    .split(/[\s,]+/)
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0)
  return [...new Set(ids)].slice(0, MOST)
}

function shuffled<T>(list: readonly T[]): T[] {
  const left = [...list]
  return list.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]!)
}
