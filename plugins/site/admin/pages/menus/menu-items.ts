import { RestError } from '../../../../../kernel/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { sentValues, withoutLoss } from '../../parts/lost-updates.ts'

export interface Menu {
  readonly id: number
  /** As stored, HTML-escaped. */
  readonly name: string
  readonly locations: readonly string[]
  readonly auto_add: boolean
}

export interface MenuLocation {
  readonly name: string
  readonly description: string
  readonly menu: number
}

/** A menu item as the REST API returns it in the context `edit`. */
export interface MenuItem {
  readonly id: number
  readonly title: { readonly raw: string }
  readonly type: string
  readonly type_label: string
  readonly url: string
  readonly attr_title: string
  readonly description: string
  readonly classes: readonly string[]
  readonly xfn: readonly string[]
  readonly target: string
  readonly parent: number
  readonly menu_order: number
  readonly invalid: boolean
}

/** The submitted values of an item, as text. */
export type ItemValues = Readonly<Record<(typeof ITEM_FIELDS)[number], string>>

/** Editable fields of an item. */
export const ITEM_FIELDS = [
  'title',
  'url',
  'attr_title',
  'description',
  'classes',
  'xfn',
  'target',
  'parent',
  'menu_order',
] as const

/** Items per request, and maximum number of requests per menu: only the first 1,000 items of a menu are read. */
const PER_PAGE = 100
const MAX_PAGES = 10

/** Returns all menus, sorted by name. */
export async function readMenus(view: AdminView): Promise<readonly Menu[]> {
  return (await view.ask<Menu[]>('GET', 'menus', { query: { per_page: PER_PAGE, context: 'edit' } })).data
}

/** Returns all items of a menu in order. */
export async function readItems(view: AdminView, menu: number): Promise<readonly MenuItem[]> {
  const items: MenuItem[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = { menus: menu, per_page: PER_PAGE, page, context: 'edit' }
    const { data } = await view.ask<MenuItem[]>('GET', 'menu-items', { query })
    items.push(...data)
    if (data.length < PER_PAGE) break
  }
  return items
}

/** Returns the stored values of an item as form values. */
export function valuesOf(item: MenuItem): ItemValues {
  return {
    title: item.title.raw,
    url: item.url,
    attr_title: item.attr_title,
    description: item.description,
    classes: item.classes.join(' ').trim(),
    xfn: item.xfn.join(' ').trim(),
    target: item.target,
    parent: String(item.parent),
    menu_order: String(item.menu_order),
  }
}

/** Returns the submitted values of an item; null if the form does not contain it. */
export function submittedValues(view: AdminView, id: number): ItemValues | null {
  if (view.form[`title-${id}`] === undefined) return null
  const values = ITEM_FIELDS.map((name) => [name, view.text(`${name}-${id}`).replaceAll('\r\n', '\n').trim()] as const)
  return Object.fromEntries(values) as Record<(typeof ITEM_FIELDS)[number], string>
}

/** The result of saving items. */
export interface Saved {
  /** Number of changed items. */
  readonly changed: number
  /** Messages about conflicts with other users, and about refused changes. */
  readonly messages: readonly string[]
}

/**
 * Saves the fields of items that the user has edited; changes of other users to other fields are preserved. If both
 * have changed a field, the stored value is preserved and a message is returned.
 */
export async function saveItems(view: AdminView, menu: number): Promise<Saved> {
  const messages: string[] = []
  let changed = 0
  const items = await readItems(view, menu)
  const itemIds = new Set(items.map(({ id }) => id))
  for (const id of idsOf(view)) {
    if (itemIds.has(id) || view.text(`remove-${id}`) !== '') continue
    messages.push(removedByOthers(view, id))
  }
  for (const item of items) {
    const { id } = item
    const submitted = submittedValues(view, id)
    if (submitted === null) continue
    try {
      if (view.text(`remove-${id}`) !== '') {
        await view.ask('DELETE', `menu-items/${id}`, { query: { force: 'true' } })
        changed += 1
        continue
      }
      // Skips unchanged items.
      const { mine, clashes } = mergeChanges(submitted, sentValues(view, `was-${id}`), valuesOf(item))
      if (Object.keys(mine).length === 0 && clashes.length === 0) continue
      const saved = await saveItem(view, id, submitted)
      messages.push(...saved.messages)
      changed += saved.changed
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      if (error.status === 404) {
        messages.push(removedByOthers(view, id))
        continue
      }
      const { params } = error.data as { params?: Record<string, unknown> }
      const reasons = params === undefined ? [error.message] : Object.values(params).map(String)
      messages.push(`${submitted.title || id}: ${reasons.join(' ')}`)
    }
  }
  return { changed, messages }
}

/** Saves the edited fields of an item. */
function saveItem(view: AdminView, id: number, submitted: ItemValues): Promise<Saved> {
  const path = `menu-items/${id}`
  const query = { context: 'edit' }
  return withoutLoss(view, { path, query }, async (headers) => {
    const { data: item } = await view.ask<MenuItem>('GET', path, { query })
    const { mine, clashes } = mergeChanges(submitted, sentValues(view, `was-${id}`), valuesOf(item))
    const isChanged = Object.keys(mine).length > 0
    if (isChanged) await view.ask('POST', path, { body: bodyOf(mine), headers })
    const values = { title: submitted.title, fields: clashes.join(', ') }
    const clash = view.t(
      '{title}: someone else changed these fields while you were editing. Their version was kept: {fields}.',
      values,
    )
    return { changed: isChanged ? 1 : 0, messages: clashes.length > 0 ? [clash] : [] }
  })
}

function removedByOthers(view: AdminView, id: number): string {
  return view.t('{title}: someone else removed this item while you were editing.', { title: view.text(`title-${id}`) })
}

/** Returns the IDs of the items in a form. */
function idsOf({ form }: AdminView): number[] {
  return Object.keys(form).flatMap((name) => (name.startsWith('was-') ? [Number(name.slice('was-'.length))] : []))
}

type Changes = Partial<Record<(typeof ITEM_FIELDS)[number], string>>

/** Returns the user's changes, without fields that another user has changed since the page was opened. */
function mergeChanges(submitted: ItemValues, shown: Readonly<Record<string, unknown>>, current: ItemValues) {
  const mine: Changes = {}
  const clashes: string[] = []
  for (const name of ITEM_FIELDS) {
    const before = typeof shown[name] === 'string' ? String(shown[name]).trim() : current[name]
    if (submitted[name] === before || submitted[name] === current[name].trim()) continue
    if (before === current[name].trim()) mine[name] = submitted[name]
    else clashes.push(name)
  }
  return { mine, clashes }
}

function bodyOf({ classes, xfn, parent, menu_order: order, ...texts }: Changes): Record<string, unknown> {
  const words = (text: string) => text.split(/\s+/).filter(Boolean)
  return {
    ...texts,
    ...(classes !== undefined && { classes: words(classes) }),
    ...(xfn !== undefined && { xfn: words(xfn) }),
    ...(parent !== undefined && { parent: Number(parent) || 0 }),
    ...(order !== undefined && { menu_order: Number(order) || 1 }),
  }
}

/** An item with its child items. */
export interface ItemNode {
  readonly item: MenuItem
  readonly values: ItemValues
  readonly below: readonly ItemNode[]
}

/** Builds the tree of items; items with a missing parent, or in a cycle, are at the top level. */
export function treeOf(items: readonly { item: MenuItem; values: ItemValues }[]): ItemNode[] {
  const ids = new Set(items.map(({ item }) => item.id))
  const sorted = [...items].sort((one, other) => Number(one.values.menu_order) - Number(other.values.menu_order))
  const placed = new Set<number>()
  const nodes = (parent: number): ItemNode[] =>
    sorted.flatMap((one) => {
      const above = ids.has(Number(one.values.parent)) ? Number(one.values.parent) : 0
      if (above !== parent || placed.has(one.item.id)) return []
      placed.add(one.item.id)
      return [{ ...one, below: nodes(one.item.id) }]
    })
  const tree = nodes(0)
  // Items in a cycle are not reachable from the root.
  const left = sorted.filter(({ item }) => !placed.has(item.id))
  return [...tree, ...left.map((one) => ({ ...one, below: [] }))]
}
