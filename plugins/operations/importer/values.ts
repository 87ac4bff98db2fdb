import { LAST_EDITOR_KEY, THUMBNAIL_KEY } from '../../content/meta-keys.ts'
import { PRIVACY_PAGE } from '../../foundation/settings/index.ts'
import { fingerprint } from './old-sites/fingerprint.ts'
import type { Links, Target, TargetKind } from './old-sites/links.ts'
import type { MetaRow } from './old-sites/object-state.ts'
import type { PendingValues } from './old-sites/pending-values.ts'
import type { MappedKind } from './old-sites/tables.ts'
import { isRecord, storedValue, type Value } from './php-values.ts'
import { mapTextIds } from './posts/text-ids.ts'
import type { WxrMeta } from './wxr/types.ts'

/** A value of an export, for taps of `import_value`. */
export interface ImportedValue {
  /** The kind of the value and of its object. */
  readonly kind: `${MappedKind}_meta` | 'post_content' | 'term_description' | 'option'
  /** Meta key, or name of the option; `''` for contents and descriptions. */
  readonly key: string
  /** Content type, taxonomy or type of the comment; `''` for users and options. */
  readonly objectType: string
  /** Returns the text of another meta value of the same object; undefined if it has none. */
  readonly other: (key: string) => string | undefined
  /**
   * Maps an ID of the old site to the ID on this site. Returns null if no import has brought the object yet: the filter
   * then runs again for the value when a later import brings it, unless the value was changed here in the meantime.
   * @param taxonomy of a term; by default any taxonomy
   */
  readonly map: (kind: TargetKind, oldId: number, taxonomy?: string) => number | null
  /**
   * Asks for the filter to run again for this value at the end of the import, and of each later one until no tap asks
   * for it. Call it if the value depends on objects that come later, such as definitions of fields.
   */
  readonly later: () => void
}

/** Replaces the IDs in a value. */
export type MapValue = (value: Value, about: ImportedValue) => Value

/** The parts of an import that its values need. */
interface ValuesContext {
  readonly links: Links
  readonly pending: PendingValues
  /** Home URL of this site, which replaces the old one; null if URLs are not rewritten. */
  readonly home: string | null
  typeName(name: string): string
  metaKey(key: string): string
  metaValue(key: string, text: string): Value
  noteBlock(block: string): void
}

/** The object that has a value. */
export interface ValueOwner {
  readonly holder: MappedKind
  /** ID on this site. */
  readonly holderId: number
  readonly objectType: string
  /** Returns the text of a meta value of the object. */
  readonly other?: (key: string) => string | undefined
}

/** Meta keys whose values are IDs, or the IDs of targets of menu items. */
const ID_KEYS: ReadonlySet<string> = new Set([
  THUMBNAIL_KEY,
  LAST_EDITOR_KEY,
  '_menu_item_menu_item_parent',
  '_menu_item_object_id',
])

/** Settings that hold the ID of a post, and settings that hold the ID of a term with its taxonomy. */
const POST_SETTINGS: ReadonlySet<string> = new Set([
  'page_on_front',
  'page_for_posts',
  'site_icon',
  'site_logo',
  PRIVACY_PAGE,
])
const TERM_SETTINGS: Readonly<Record<string, string>> = { __proto__: null as never, default_category: 'category' }
/** The taxonomy of menus. The options `menu_locations` and `menus_auto_add` hold IDs of its terms. */
const MENU_TAXONOMY = 'nav_menu'

/** Maps the IDs in values of objects, and remembers values with references to objects that are not here. */
export class ImportedValues {
  readonly #context: ValuesContext
  readonly #mapValue: MapValue | undefined

  constructor(context: ValuesContext, mapValue: MapValue | undefined) {
    this.#context = context
    this.#mapValue = mapValue
  }

  /** Reads meta of the file, with URLs of this site and old IDs. */
  read(meta: readonly WxrMeta[]): [key: string, value: Value][] {
    return meta.flatMap(({ key, value }): [string, Value][] => {
      return key === '' ? [] : [[this.#context.metaKey(key), this.#context.metaValue(key, value)]]
    })
  }

  /** Converts meta of the file to rows. */
  metaRows(owner: ValueOwner, meta: readonly WxrMeta[]): MetaRow[] {
    if (meta.length === 0) return []
    const values = this.read(meta)
    return values.map(([key, value]) => this.metaRow({ ...owner, other: otherIn(values) }, key, value))
  }

  /** Converts a meta value with old IDs to a row. */
  metaRow(owner: ValueOwner, key: string, value: Value): MetaRow {
    if (!this.#mapsMeta(owner.holder, key)) return rowOf(key, value)
    const { links } = this.#context
    const mapped = links.resolve(() => this.#metaValue(owner, key, value))
    const row = rowOf(key, mapped.value)
    this.#remember(owner, `meta ${key}`, mapped.missing, JSON.stringify(value), fingerprint([row[1]]))
    return row
  }

  /** The description of a term. */
  description(owner: ValueOwner, text: string): string {
    if (this.#mapValue === undefined || text === '') return text
    const mapped = this.#context.links.resolve(() => this.mapField(owner, 'description', text))
    this.#remember(owner, 'description', mapped.missing, text, fingerprint([mapped.value]))
    return mapped.value
  }

  /** The content or the excerpt of a post. */
  text(owner: ValueOwner, field: 'content' | 'excerpt', text: string): string {
    if (text === '') return text
    const { links } = this.#context
    const { value, missing } = links.resolve(() => this.mapField(owner, field, text))
    // The stored text has all old IDs.
    const source = value === text ? '' : text
    this.#remember(owner, field, missing, source, fingerprint([value]))
    return value
  }

  /** Returns the objects to which the values of an object refer. */
  targetsOf(owner: ValueOwner, texts: readonly string[], meta: readonly (readonly [string, Value])[]): Target[] {
    return this.#context.links.collect(() => {
      for (const text of texts) if (text !== '') this.mapField(owner, 'content', text)
      for (const [key, value] of meta) {
        if (this.#mapsMeta(owner.holder, key)) this.#metaValue({ ...owner, other: otherIn(meta) }, key, value)
      }
    })
  }

  /** Maps the IDs in a field of an object. Call it within `links.resolve`. */
  mapField(owner: ValueOwner, field: string, text: string): string {
    const { home, links } = this.#context
    const isText = field === 'content' || field === 'excerpt'
    const mapped = isText
      ? mapTextIds(
          text,
          links.idsFor((block) => this.#context.noteBlock(block)),
          home,
        )
      : text
    if (this.#mapValue === undefined) return mapped
    const kind = isText ? 'post_content' : 'term_description'
    const changed = this.#mapValue(mapped, this.#about(owner, kind, ''))
    return typeof changed === 'string' ? changed : mapped
  }

  /** Maps the IDs in a meta value. Call it within `links.resolve`. @param source the value as JSON */
  mapMeta(owner: ValueOwner, key: string, source: string): MetaRow {
    return rowOf(key, this.#metaValue(owner, key, JSON.parse(source) as Value))
  }

  /** Maps the IDs in an option. Call it within `links.resolve`. */
  mapOption(name: string, value: Value): Value {
    const mapped = this.#optionWithIds(name, value)
    if (this.#mapValue === undefined) return mapped
    return this.#mapValue(mapped, this.#about({ holder: 'user', holderId: 0, objectType: '' }, 'option', name))
  }

  #optionWithIds(name: string, value: Value): Value {
    const { links } = this.#context
    const menu = (id: Value) => (typeof id === 'number' ? links.to('term', id, MENU_TAXONOMY) : 0)
    if (name === 'menu_locations' && isRecord(value)) {
      const menus = Object.entries(value).map(([location, id]) => [location, menu(id)] as const)
      return Object.fromEntries(menus.filter(([, id]) => id !== 0))
    }
    if (name === 'menus_auto_add' && Array.isArray(value)) return value.map(menu).filter((id) => id !== 0)
    if (typeof value !== 'number' || value === 0) return value
    if (POST_SETTINGS.has(name)) return links.to('post', value)
    const taxonomy = TERM_SETTINGS[name]
    return taxonomy === undefined ? value : links.to('term', value, taxonomy)
  }

  /** Whether a meta value may hold IDs. */
  #mapsMeta(holder: MappedKind, key: string): boolean {
    return this.#mapValue !== undefined || (holder === 'post' && ID_KEYS.has(key))
  }

  #metaValue(owner: ValueOwner, key: string, value: Value): Value {
    if (owner.holder === 'post' && ID_KEYS.has(key)) return this.#idValue(owner, key, value)
    return this.#mapValue === undefined ? value : this.#mapValue(value, this.#about(owner, `${owner.holder}_meta`, key))
  }

  #idValue({ holderId, other }: ValueOwner, key: string, value: Value): Value {
    const text = typeof value === 'object' ? '' : String(value)
    if (!/^\d{1,15}$/.test(text) || text === '0') return value
    const { links } = this.#context
    const oldId = Number(text)
    if (key === LAST_EDITOR_KEY) return String(links.to('user', oldId))
    if (key !== '_menu_item_object_id') return String(links.to('post', oldId))
    const type = other?.('_menu_item_type')
    if (type === 'taxonomy') return String(links.to('term', oldId, other?.('_menu_item_object') ?? ''))
    if (type === 'post_type') return String(links.to('post', oldId))
    return type === 'custom' ? String(holderId) : value
  }

  #about({ objectType, other }: ValueOwner, kind: ImportedValue['kind'], key: string): ImportedValue {
    const { links } = this.#context
    return {
      kind,
      key,
      objectType,
      other: (name) => other?.(name),
      map: (target, oldId, taxonomy = '') =>
        links.to(target, oldId, taxonomy && this.#context.typeName(taxonomy)) || null,
      later: () => links.later(),
    }
  }

  #remember({ holder, holderId }: ValueOwner, field: string, targets: Target[], source: string, written: number): void {
    if (targets.length === 0) return
    const { links, pending } = this.#context
    const isAsWritten = targets.every(([kind]) => kind === 'later' || links.expects(kind))
    pending.add({ holder, holderId, field, targets: unique(targets), source, written: isAsWritten ? 0 : written })
  }
}

function rowOf(key: string, value: Value): MetaRow {
  const stored = storedValue(value)
  return [key, stored.value, stored.json]
}

function otherIn(values: readonly (readonly [string, Value])[]): (key: string) => string | undefined {
  return (key) => {
    const found = values.find(([name]) => name === key)?.[1]
    return found === undefined ? undefined : storedValue(found).value
  }
}

function unique(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [target.join(' '), target])).values()]
}
