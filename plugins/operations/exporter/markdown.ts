import { Readable } from 'node:stream'
import type { PluginContext } from '../../../kernel/index.ts'
import { THUMBNAIL_KEY } from '../../content/meta-keys.ts'
import type { Row, Store } from '../../storage/store/index.ts'
import { Logins } from './authors.ts'
import { postBatches, type ItemTerm, type PostBatch } from './batches.ts'
import type { Counts } from './counts.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import type { Selection } from './selection.ts'
import type { FormatNames } from './wxr/names.ts'
import { fileOf } from './wxr/items.ts'
import type { ZippedFile } from './zip.ts'

/** Types that are parts of others, or have no text. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['attachment', 'nav_menu_item', 'revision'])
/** Folder of media files next to the folders of types. */
const MEDIA_FOLDER = 'uploads'
const MAX_NAME_BYTES = 200

export interface MarkdownSource {
  readonly plugin: PluginContext
  readonly reader: Store
  readonly selection: Selection
  readonly names: FormatNames
  readonly counts: Counts
}

/** A Markdown file with front matter. */
export interface MarkdownFile {
  /** `post/a-rose.md` */
  readonly name: string
  readonly text: string
}

/** Yields a file for each selected item with a text. Media are linked relative to the file: `../uploads/2025/01/a.jpg`. */
export async function* writeMarkdown(source: MarkdownSource): AsyncGenerator<MarkdownFile> {
  const { counts, names, plugin, reader, selection } = source
  const { branding, urls } = plugin
  const logins = new Logins(reader)
  const media = `${urls.home}${branding.uploadsPaths[0]}/`
  const relative = (url: string) => (url.startsWith(media) ? `../${MEDIA_FOLDER}/${url.slice(media.length)}` : url)
  const used = new Set<string>()
  for await (const batch of postBatches(reader, selection)) {
    await logins.load(batch.posts.map(({ author_id: id }) => id))
    const images = await featuredImages(reader, batch)
    for (const post of batch.posts) {
      if (WITHOUT_TEXT.has(post.type)) continue
      counts.add(`${post.type} items`)
      const name = fileName(names.type(post.type), post, used)
      const facts = frontMatter(post, {
        author: logins.of(post.author_id),
        terms: batch.terms.get(post.id) ?? [],
        image: images.get(post.id),
      })
      yield { name, text: `${facts}\n${htmlToMarkdown(post.content, relative)}\n` }
    }
  }
}

/** Converts Markdown files to files of a zip archive. */
export async function* zipped(files: AsyncIterable<MarkdownFile>): AsyncGenerator<ZippedFile> {
  for await (const { name, text } of files) yield { name, content: Readable.from([Buffer.from(text)]) }
}

interface Facts {
  readonly author: string
  readonly terms: readonly ItemTerm[]
  readonly image: string | undefined
}

/** Values are written as JSON, which is valid YAML. */
function frontMatter(post: Row<'posts'>, { author, terms, image }: Facts): string {
  const namesOf = (taxonomy: string) => terms.filter((term) => term.taxonomy === taxonomy).map(({ name }) => name)
  const others = [...new Set(terms.map(({ taxonomy }) => taxonomy))].filter(
    (taxonomy) => taxonomy !== 'category' && taxonomy !== 'post_tag',
  )
  const facts: [name: string, value: unknown][] = [
    ['title', post.title],
    ['slug', decoded(post.slug)],
    ['date', post.date.replace(' ', 'T')],
    ['modified', post.modified.replace(' ', 'T')],
    ['status', post.status],
    ['author', author],
    ['categories', namesOf('category')],
    ['tags', namesOf('post_tag')],
    ...others.map((taxonomy): [string, unknown] => [taxonomy, namesOf(taxonomy)]),
    ['featured_image', image === undefined ? '' : `../${MEDIA_FOLDER}/${image}`],
    ['excerpt', post.excerpt],
  ]
  const isSet = (value: unknown) => value !== '' && !(Array.isArray(value) && value.length === 0)
  const lines = facts.filter(([, value]) => isSet(value)).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${lines.join('\n')}\n---\n`
}

/** A safe, unused name: the slug, with the ID if another item of the type has it too. */
function fileName(type: string, { id, slug }: Row<'posts'>, used: Set<string>): string {
  const safe = decoded(slug)
    // oxlint-disable-next-line no-control-regex -- matches control characters
    .replaceAll(/[\0-\x1f/\\:*?"<>|]/g, '-')
    .replace(/^\.+/, '')
  const short = Buffer.byteLength(safe) > MAX_NAME_BYTES ? '' : safe
  const plain = `${type}/${short || id}.md`
  const name = used.has(plain.toLowerCase()) ? `${type}/${short}-${id}.md` : plain
  used.add(name.toLowerCase())
  return name
}

function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}

/** The paths of the featured images of posts, below the uploads folder. */
async function featuredImages(reader: Store, { posts, meta }: PostBatch): Promise<Map<number, string>> {
  const imageOf = new Map<number, number>()
  for (const { id } of posts) {
    const image = Number(meta.get(id)?.find(({ key }) => key === THUMBNAIL_KEY)?.value)
    if (Number.isSafeInteger(image) && image > 0) imageOf.set(id, image)
  }
  if (imageOf.size === 0) return new Map()
  const query = reader.db.selectFrom('post_meta').select(['post_id', 'key', 'value', 'json']).orderBy('id')
  const rows = await reader.all(query.where('post_id', 'in', [...new Set(imageOf.values())]))
  const byImage = Map.groupBy(rows, ({ post_id: id }) => id)
  return new Map(
    [...imageOf].flatMap(([post, image]) => {
      const file = fileOf(byImage.get(image) ?? [])
      return file === '' ? [] : [[post, file] as const]
    }),
  )
}
