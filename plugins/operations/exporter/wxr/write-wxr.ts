import { RequestCache, type PluginContext } from '../../../../kernel/index.ts'
import type { Row, Store } from '../../../storage/store/index.ts'
import { authorsOf, Logins } from '../authors.ts'
import { commentsOf, postBatches, type PostBatch } from '../batches.ts'
import type { Counts } from '../counts.ts'
import type { Selection } from '../selection.ts'
import { taxonomiesOf, termsOf } from '../terms.ts'
import { authorElement, FOOT, GENERATOR, headOf, termElement } from './head.ts'
import { commentElement, fileOf, ITEM_END, itemStart } from './items.ts'
import type { FormatNames } from './names.ts'

/** A piece of a WXR file. */
export interface WxrPiece {
  /** The head of the file, a piece of an item, the end of an item, or the end of the file. */
  readonly part: 'head' | 'item' | 'item end' | 'foot'
  readonly text: string
}

/** The site that is exported. */
export interface WxrSource {
  readonly plugin: PluginContext
  /** The snapshot to read. */
  readonly reader: Store
  readonly selection: Selection
  readonly names: FormatNames
  readonly counts: Counts
}

/**
 * Yields a WXR file (version 1.2) in pieces. Memory holds a batch of posts without their comments, the IDs of these
 * comments, and the logins of authors.
 */
export async function* writeWxr(source: WxrSource): AsyncGenerator<WxrPiece> {
  const { counts, names, reader, selection } = source
  yield { part: 'head', text: headOf(await siteHead(source)) }
  for await (const author of authorsOf(reader, selection)) {
    counts.add('users')
    yield { part: 'head', text: authorElement(author) }
  }
  for (const taxonomy of await taxonomiesOf(reader, selection)) {
    for await (const term of termsOf(reader, selection, taxonomy)) {
      counts.add(`${taxonomy} terms`)
      // An import could not identify a term without a slug.
      if (term.slug !== '') yield { part: 'head', text: termElement(term, names) }
    }
  }
  yield { part: 'head', text: GENERATOR }
  const items = new Items(source)
  await items.open()
  for await (const batch of postBatches(reader, selection)) yield* items.write(batch)
  yield { part: 'foot', text: FOOT }
}

async function siteHead({ plugin }: WxrSource) {
  const { services, urls } = plugin
  const { title, description, language } = await services.options.many(['title', 'description', 'language'])
  return {
    title: textOf(title),
    description: textOf(description),
    language: textOf(language, 'en_US').replace('_', '-'),
    home: urls.home,
    date: new Date(),
  }
}

function textOf(value: unknown, fallback = ''): string {
  return typeof value === 'string' ? value : fallback
}

/** Writes the elements of items. */
class Items {
  readonly #source: WxrSource
  readonly #logins: Logins
  #sticky: ReadonlySet<unknown> = new Set()

  constructor(source: WxrSource) {
    this.#source = source
    this.#logins = new Logins(source.reader)
  }

  async open(): Promise<void> {
    const sticky = await this.#source.plugin.services.options.get('sticky_posts', [])
    this.#sticky = new Set(Array.isArray(sticky) ? sticky : [])
  }

  async *write(batch: PostBatch): AsyncGenerator<WxrPiece> {
    const { counts, names, reader } = this.#source
    await this.#logins.load(batch.posts.map(({ author_id: id }) => id))
    // Links of one batch share their statements.
    const scope = new RequestCache()
    for (const post of batch.posts) {
      counts.add(`${post.type} items`)
      yield { part: 'item', text: await this.#start(post, batch, scope) }
      for await (const comment of commentsOf(reader, batch.comments.get(post.id))) {
        counts.add('comments')
        yield { part: 'item', text: commentElement(comment, names) }
      }
      yield { part: 'item end', text: ITEM_END }
    }
  }

  async #start(post: Row<'posts'>, batch: PostBatch, scope: RequestCache): Promise<string> {
    const { names, plugin } = this.#source
    const meta = batch.meta.get(post.id) ?? []
    const parts = {
      link: await plugin.services.permalinks.post(post, scope),
      author: this.#logins.of(post.author_id),
      hasParent: batch.parents.has(post.parent_id),
      isSticky: this.#sticky.has(post.id),
      attachmentUrl: post.type === 'attachment' ? this.#urlOfFile(fileOf(meta)) : '',
      terms: (batch.terms.get(post.id) ?? []).filter(({ slug }) => slug !== ''),
      meta,
    }
    return itemStart(post, parts, names)
  }

  #urlOfFile(file: string): string {
    const { branding, urls } = this.#source.plugin
    if (file === '') return ''
    const path = file.split('/').map(encodeURIComponent).join('/')
    return urls.site(`${branding.uploadsPaths[0]}/${path}`)
  }
}
