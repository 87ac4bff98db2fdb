import { normalizeSlug } from '../../../../resources/index.ts'
import type { ReportReason } from '../../phrases.ts'
import type { Rewrite } from '../../url-rewriter.ts'
import type { Collection } from '../collections.ts'
import { FLOATING_STATUSES, metaKey } from '../convert/conversion.ts'
import { dateOf, hasRaw, idOf, idsOf, isBehindPassword, objectOf, rawOf, text, type OldObject } from '../values.ts'

import type { MappedIds } from './mapped-ids.ts'

/** Facts about both sites for the comparison of objects. */
export interface ComparisonContext {
  readonly ids: MappedIds
  readonly rewrite: Rewrite
  /** Word in names of the old site, and of this site. */
  readonly words: { old: string; here: string }
  readonly taxonomyOfField: ReadonlyMap<string, string>
  /** Whether an object was on this site before the import. */
  wasHere(this: void, holds: Collection['holds'], id: number): boolean
  /** Whether this site filters a text in this way. @param form applied to both filtered texts before they are compared */
  isFiltered(this: void, before: string, after: string, form?: (text: string) => string): boolean
}

/** The result for one field: both values if they differ, and the reason if it is known. */
export interface FieldDifference {
  readonly field: string
  readonly old: unknown
  readonly here: unknown
  readonly reason: ReportReason | null
}

type Check = (old: OldObject, here: OldObject, context: ComparisonContext) => FieldDifference[]

const TEXTS = ['title', 'content', 'excerpt', 'caption', 'description'] as const
const PLAIN_FIELDS: Readonly<Record<Collection['holds'], readonly string[]>> = {
  items: ['status', 'comment_status', 'ping_status', 'sticky', 'template', 'format', 'menu_order', 'password'],
  media: ['status', 'comment_status', 'ping_status', 'alt_text', 'mime_type', 'media_type'],
  'menu items': ['status', 'type', 'menu_order', 'target', 'classes', 'xfn', 'attr_title', 'description'],
  terms: ['name', 'description'],
  menus: ['name', 'description'],
  users: ['username', 'name', 'first_name', 'last_name', 'nickname', 'email', 'description'],
  comments: ['author_name', 'author_email', 'author_ip', 'status', 'type'],
  fonts: ['font_family_settings'],
}
/** Fields with the ID of an item. */
const ITEM_FIELDS = ['featured_media', 'post'] as const

const REFERENCES = [...ITEM_FIELDS, 'author', 'parent'] as const
const DATES = ['date', 'date_gmt', 'modified', 'modified_gmt'] as const
const URLS = ['url', 'author_url'] as const

/**
 * The parameter `_fields` for the objects to compare: texts in their raw form, so that this site renders nothing.
 * @param termFields fields of posts with IDs of terms
 */
export function comparedFields(holds: Collection['holds'], termFields: Iterable<string>): string {
  const plain = PLAIN_FIELDS[holds].filter((name) => !(TEXTS as readonly string[]).includes(name))
  const raw = TEXTS.flatMap((name) => [`${name}.raw`, ...(PLAIN_FIELDS[holds].includes(name) ? [name] : [])])
  return ['id', 'slug', 'object_id', 'meta', ...plain, ...raw, ...REFERENCES, ...DATES, ...URLS, ...termFields].join(
    ',',
  )
}

/** Compares the fields that both objects have. */
export function compareObjects(
  holds: Collection['holds'],
  old: OldObject,
  here: OldObject,
  context: ComparisonContext,
): FieldDifference[] {
  const checks: Check[] = [
    (one, other) => plainFields(PLAIN_FIELDS[holds], one, other, context),
    texts,
    slugs,
    dates,
    references(holds),
    terms,
    meta,
    urls,
  ]
  return checks.flatMap((check) => check(old, here, context))
}

function plainFields(
  names: readonly string[],
  old: OldObject,
  here: OldObject,
  { rewrite, isFiltered }: ComparisonContext,
) {
  return names.flatMap((field): FieldDifference[] => {
    if (!(field in old) || !(field in here)) return []
    const [one, other] = [plain(old[field], rewrite), plain(here[field], rewrite)]
    if (one === other) return []
    const isText = typeof old[field] === 'string' && typeof here[field] === 'string'
    const reason =
      field === 'status' && isBehindPassword(old) && other === 'draft'
        ? BEHIND_PASSWORD
        : isText && isFiltered(one, other)
          ? FILTERED
          : null
    return [{ field, old: one, here: other, reason }]
  })
}

/** The reason of posts whose text the user cannot read. */
export const BEHIND_PASSWORD = 'its text is behind a password, so it came as an empty draft'
const FILTERED = 'HTML that the author may not write here was filtered'

function plain(value: unknown, rewrite: Rewrite): string {
  return typeof value === 'string' ? rewrite(value) : JSON.stringify(value)
}

const texts: Check = (old, here, { isFiltered, rewrite }) =>
  TEXTS.flatMap((field): FieldDifference[] => {
    // Without the raw form, the texts are rendered differently.
    if (!hasRaw(old[field]) || !hasRaw(here[field]) || typeof old[field] === 'string') return []
    const [one, other] = [rewrite(rawOf(old[field])), rawOf(here[field])]
    if (one === other) return []
    const reasons: [isTrue: boolean, reason: ReportReason][] = [
      [withoutIds(one) === withoutIds(other), 'IDs in blocks and classes were replaced with the IDs of this site'],
      [isFiltered(one, other), FILTERED],
      [
        isFiltered(one, other, withoutIds),
        'HTML that the author may not write here was filtered, and IDs were replaced with the IDs of this site',
      ],
    ]
    return [{ field, old: one, here: other, reason: reasons.find(([isTrue]) => isTrue)?.[1] ?? null }]
  })

function withoutIds(content: string): string {
  return content.replaceAll(/\d+/g, '0')
}

const slugs: Check = (old, here) => {
  const [one, other] = [text(old['slug']), text(here['slug'])]
  if (!('slug' in old) || !('slug' in here) || one === other) return []
  const isNumbered = other.startsWith(normalizeSlug(one)) && /^-\d+$/.test(other.slice(normalizeSlug(one).length))
  const reason = isNumbered
    ? 'the slug was already used here'
    : normalizeSlug(one) === other
      ? 'the slug is in the form of this site'
      : null
  return [{ field: 'slug', old: one, here: other, reason }]
}

const dates: Check = (old, here) => {
  const isFloating = FLOATING_STATUSES.includes(text(old['status']))
  return DATES.flatMap((field): FieldDifference[] => {
    const [one, other] = [dateOf(old[field]), dateOf(here[field])]
    if (one === '' || !(field in here) || one === other) return []
    const reason = isFloating && field.endsWith('_gmt') ? 'a draft has no date in UTC' : null
    return [{ field, old: one, here: other, reason }]
  })
}

function references(holds: Collection['holds']): Check {
  return (old, here, { ids }) => {
    const check = (field: string, expected: number): FieldDifference[] => {
      const [one, other] = [idOf(old[field]), idOf(here[field])]
      if (!(field in old) || !(field in here) || expected === other) return []
      const reason = one !== 0 && expected === 0 && other === 0 ? 'the object did not come' : null
      return [{ field, old: one, here: other, reason }]
    }
    const parent = idOf(old['parent'])
    return [
      ...ITEM_FIELDS.flatMap((field) => check(field, ids.item(idOf(old[field])))),
      ...check('author', ids.user(idOf(old['author']))),
      ...(holds === 'items' || holds === 'menu items' ? check('parent', ids.item(parent)) : []),
      ...(holds === 'terms' ? check('parent', ids.term(text(old['taxonomy']), parent)) : []),
    ]
  }
}

const terms: Check = (old, here, { ids, taxonomyOfField }) =>
  [...taxonomyOfField].flatMap(([field, taxonomy]): FieldDifference[] => {
    if (!(field in old) || !(field in here) || !Array.isArray(here[field])) return []
    const expected = idsOf(old[field])
      .map((id) => ids.term(taxonomy, id))
      .toSorted((one, other) => one - other)
    const actual = idsOf(here[field]).toSorted((one, other) => one - other)
    return expected.join() === actual.join() ? [] : [{ field, old: expected, here: actual, reason: null }]
  })

const meta: Check = (old, here, { rewrite, words }) => {
  const shown = objectOf(here['meta'])
  return Object.entries(objectOf(old['meta'])).flatMap(([name, value]): FieldDifference[] => {
    const isEmpty = value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
    const ownName = name.replace(`${words.old}_`, `${words.here}_`)
    const field = `meta ${name}`
    if (!(ownName in shown)) {
      const reason = 'the meta key is stored, but no plugin of this site shows it'
      return isEmpty || value === false ? [] : [{ field, old: value, here: undefined, reason }]
    }
    const [one, other] = [rewrite(JSON.stringify(value)), JSON.stringify(shown[ownName])]
    return one === other ? [] : [{ field: `meta ${metaKey(name, words.old)}`, old: one, here: other, reason: null }]
  })
}

const urls: Check = (old, here, { rewrite }) =>
  URLS.flatMap((field): FieldDifference[] => {
    const [one, other] = [rewrite(text(old[field])), text(here[field])]
    // The URL of a menu item for a post or a term is computed.
    if (!(field in old) || !(field in here) || one === other || 'object_id' in old) return []
    return [{ field, old: one, here: other, reason: null }]
  })
