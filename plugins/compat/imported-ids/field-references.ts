import type { Hooks, Store } from '../../public.ts'
import { isPhpMap, readPhp, writePhp, type PhpValue } from '../php-values.ts'

type Tap = Parameters<Hooks['import_value']['tap']>[1]
type Value = Parameters<Tap>[0]
type About = Parameters<Tap>[1]

/** The kind of objects that the values of a field refer to. */
interface FieldTarget {
  readonly kind: 'post' | 'term' | 'user'
  /** Taxonomy of terms; '' for any. */
  readonly taxonomy: string
}

const KINDS: Readonly<Record<string, FieldTarget['kind']>> = {
  __proto__: null as never,
  image: 'post',
  file: 'post',
  gallery: 'post',
  post_object: 'post',
  relationship: 'post',
  page_link: 'post',
  taxonomy: 'term',
  user: 'user',
  icon_picker: 'post',
}
/** Parameters of location rules whose values are IDs of posts. */
const POST_RULES: ReadonlySet<string> = new Set(['post', 'page', 'page_parent'])
/** Beginning of the keys of fields, which references to definitions contain. */
const FIELD = 'field_'

const textOf = (value: PhpValue | undefined): string => (typeof value === 'string' ? value : '')

/** Maps IDs in values of custom fields, whose definitions name the kind of object. */
export class FieldReferences {
  /** The fields with references, by key; null until the definitions of an import are stored. */
  #targets: ReadonlyMap<string, FieldTarget> | null = null

  async readDefinitions(tx: Store): Promise<void> {
    const rows = tx.db.selectFrom('posts').select(['slug', 'content']).where('type', '=', 'acf-field')
    const targets = new Map<string, FieldTarget>()
    for (const { slug, content } of await tx.all(rows)) {
      const settings = readPhp(content)
      if (!isPhpMap(settings)) continue
      const kind = KINDS[textOf(settings.get('type'))]
      const taxonomy = settings.get('taxonomy')
      if (kind !== undefined)
        targets.set(slug, { kind, taxonomy: kind === 'term' && typeof taxonomy === 'string' ? taxonomy : '' })
    }
    this.#targets = targets
  }

  forget(): void {
    this.#targets = null
  }

  /** Returns a value of an import with the IDs of this site. */
  mapped(value: Value, about: About): Value {
    if (about.kind === 'post_content') {
      const isGroup = about.objectType === 'acf-field-group' && typeof value === 'string'
      return isGroup ? mapLocation(value, about) : value
    }
    if (!about.kind.endsWith('_meta') || about.key.startsWith('_') || value === '') return value
    const reference = about.other(`_${about.key}`)
    if (reference?.startsWith(FIELD) !== true) return value
    if (this.#targets === null) {
      about.later()
      return value
    }
    // The reference of a cloned field is the key of the clone, followed by the key of the field.
    const target = this.#targets.get(reference) ?? this.#targets.get(reference.slice(reference.lastIndexOf(FIELD)))
    return target === undefined ? value : mapValue(value, target, about)
  }
}

function mapValue(value: Value, { kind, taxonomy }: FieldTarget, { map }: About): Value {
  const mapOne = (id: Value): Value => {
    const number = typeof id === 'string' || typeof id === 'number' ? Number(id) : Number.NaN
    // Other values are URLs of page links.
    if (!Number.isSafeInteger(number) || number <= 0) return id
    const mapped = map(kind, number, taxonomy || undefined)
    return mapped === null ? '' : String(mapped)
  }
  if (Array.isArray(value)) return value.map(mapOne).filter((id) => id !== '')
  if (typeof value !== 'object' || value === null) return mapOne(value)
  const { type, value: icon } = value as { type?: Value; value?: Value }
  return type === 'media_library' && icon !== undefined ? { ...value, value: mapOne(icon) } : value
}

/** Maps the IDs in the location rules of a group. */
function mapLocation(content: string, { map }: About): string {
  const settings = readPhp(content)
  if (!isPhpMap(settings)) return content
  let isChanged = false
  const mapRule = (rule: PhpValue): PhpValue => {
    if (!isPhpMap(rule) || !POST_RULES.has(textOf(rule.get('param')))) return rule
    const id = Number(rule.get('value'))
    const mapped = Number.isSafeInteger(id) && id > 0 ? map('post', id) : id
    if (mapped === id) return rule
    isChanged = true
    return new Map([...rule, ['value', String(mapped ?? 0)] as const])
  }
  const mapAll = (list: PhpValue | undefined, one: (inner: PhpValue) => PhpValue): PhpValue => {
    if (isPhpMap(list)) return new Map([...list].map(([key, inner]) => [key, one(inner)] as const))
    return Array.isArray(list) ? (list as readonly PhpValue[]).map(one) : (list ?? null)
  }
  const location = mapAll(settings.get('location'), (rules) => mapAll(rules, mapRule))
  return isChanged ? writePhp(new Map([...settings, ['location', location] as const])) : content
}
