import type { Note, Conversion } from './convert/conversion.ts'
import { customFields, metaOf } from './convert/conversion.ts'
import { commentOf } from './convert/comments.ts'
import { facesOf, fontFaceItem, fontFamilyItem, globalStylesItem, templateItem } from './convert/design.ts'
import { menuItem } from './convert/menu-items.ts'
import { OldLanguages } from './convert/languages.ts'
import { mediaItem, postItem, revisionItem } from './convert/posts.ts'
import type { WxrItem, WxrRecord, WxrTerm } from '../wxr/types.ts'
import type { Collection } from './collections.ts'
import type { ApiIndex } from './discovery.ts'
import { stylesheetOf, type Extras } from './extras.ts'
import { LineIndex } from './line-index.ts'
import type { Spool } from './spool.ts'
import { ownTypeName } from './survey.ts'
import { idOf, text, type OldObject } from './values.ts'

interface RecordsParts {
  readonly spool: Spool
  readonly index: ApiIndex
  readonly collections: readonly Collection[]
  readonly extras: Extras
  readonly conversion: Conversion
  /** Meta key of templates that an editor suggested, with the word of this site. */
  readonly suggestedKey: string
  readonly note: Note
}

/** Order in which objects are stored: objects to which others refer come first. */
const ORDER: readonly Collection['holds'][] = ['media', 'items', 'fonts', 'menu items']

/** Converts the objects in the spool to the records that the reader of export files yields. */
export class SpooledRecords {
  readonly #parts: RecordsParts
  /** Titles of the posts that menu items link to, by ID; `''` until the post is converted. */
  readonly #linkedTitles = new Map<number, string>()
  readonly #languages: OldLanguages

  constructor(parts: RecordsParts) {
    this.#parts = parts
    this.#languages = new OldLanguages(parts.extras.languages)
  }

  async *records(): AsyncGenerator<WxrRecord> {
    const { collections, index } = this.#parts
    const { description, home, title } = index
    yield { kind: 'site', title, description, language: '', version: '1.2', home }
    yield* this.#languages.terms()
    for (const collection of collections) {
      if (collection.holds === 'terms' || collection.holds === 'menus') yield* this.#terms(collection)
    }
    yield* this.#languages.groups('term')
    for (const { holds, key } of collections) if (holds === 'menu items') await this.#findLinked(key)
    const comments = await this.#indexOf('comments', 'post')
    const placed = new Set<number>()
    for (const holds of ORDER) {
      for (const collection of collections) {
        if (collection.holds === holds) yield* this.#items(collection, comments, placed)
      }
    }
    yield* this.#languages.groups('post')
    yield* this.#design()
    let others = 0
    for (const post of comments?.groups() ?? []) if (!placed.has(post)) others += (await comments!.read(post)).length
    for (; others > 0; others -= 1) this.#parts.note('comment on a post that did not come; left out')
  }

  async *#terms({ key, slug }: Collection): AsyncGenerator<WxrTerm> {
    const { conversion, spool } = this.#parts
    const names = conversion.terms.get(slug)
    for await (const object of (await spool.collection(key)).objects()) {
      const parent = idOf(object['parent'])
      this.#languages.groupOf('term', object)
      yield {
        kind: 'term',
        id: idOf(object['id']),
        taxonomy: slug,
        slug: text(object['slug']),
        parent: parent === 0 ? '' : (names?.get(parent)?.slug ?? ''),
        name: text(object['name']),
        description: text(object['description']),
        link: text(object['link']),
        meta: [...metaOf(object, conversion, key, 'term', slug), ...customFields(object)],
      }
    }
  }

  async *#items(collection: Collection, comments: LineIndex | null, placed: Set<number>): AsyncGenerator<WxrItem> {
    const { conversion, extras, spool } = this.#parts
    const { holds, key, slug } = collection
    const revisions = holds === 'items' ? await this.#indexOf(`revisions-${key}`, 'parent') : null
    for (const folder of [key, `${key}-commented`]) {
      for await (const object of (await spool.collection(folder)).objects()) {
        const id = idOf(object['id'])
        if (holds === 'fonts') {
          yield fontFamilyItem(object)
          const ids = new Set(facesOf(object).map(idOf))
          for (const face of extras.faces) if (ids.has(idOf(face['id']))) yield fontFaceItem(face, id)
          continue
        }
        const item = this.#itemOf(object, collection)
        const group = holds === 'menu items' ? null : this.#languages.groupOf('post', object)
        if (group !== null) item.terms.push(group)
        if (this.#linkedTitles.has(id)) this.#linkedTitles.set(id, item.title)
        if (comments !== null && (holds === 'items' || holds === 'media')) {
          placed.add(id)
          item.comments = (await comments.read(id)).map((comment) => commentOf(comment, conversion))
        }
        yield item
        for (const revision of (await revisions?.read(id)) ?? []) yield revisionItem(revision, id, conversion)
      }
    }
    if (holds === 'items' && !collection.isRaw && collection.total !== 0 && 'content' in collection.sample) {
      this.#parts.note(
        'text in the form in which pages show it, because the raw form needs a user; blocks are lost',
        slug,
      )
    }
  }

  #itemOf(object: OldObject, { holds, key, slug }: Collection): WxrItem {
    const { conversion } = this.#parts
    if (holds === 'media') return mediaItem(object, key, conversion)
    if (holds !== 'menu items') return postItem(object, slug, key, conversion)
    const item = menuItem(object, key, conversion)
    // The old site shows the title of the target for an item without a label.
    return item.title === this.#titleOfTarget(object) ? { ...item, title: '' } : item
  }

  async #findLinked(key: string): Promise<void> {
    for await (const object of (await this.#parts.spool.collection(key)).objects()) {
      if (object['type'] === 'post_type') this.#linkedTitles.set(idOf(object['object_id']), '')
    }
  }

  #titleOfTarget({ object, object_id: id, type }: OldObject): string | undefined {
    if (type === 'post_type') return this.#linkedTitles.get(idOf(id))
    const { terms, word } = this.#parts.conversion
    return type === 'taxonomy' ? terms.get(ownTypeName(text(object), word))?.get(idOf(id))?.name : undefined
  }

  *#design(): Generator<WxrItem> {
    const { conversion, extras, suggestedKey } = this.#parts
    for (const kind of ['template', 'template_part'] as const) {
      for (const object of kind === 'template' ? extras.templates : extras.templateParts) {
        const item = templateItem(object, kind, conversion, suggestedKey)
        if (item !== null) yield item
      }
    }
    const styles = globalStylesItem(extras.globalStyles, stylesheetOf(extras.theme))
    if (styles !== null) yield styles
  }

  async #indexOf(key: string, field: string): Promise<LineIndex | null> {
    const spooled = await this.#parts.spool.collection(key)
    return (await spooled.cursor()) === null ? null : await LineIndex.build(spooled, field)
  }
}
