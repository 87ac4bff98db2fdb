import type { AdminView, Answer } from '../frame/view.ts'
import { MAX_PER_PAGE } from './list.ts'

/** An item that can have a parent. */
export interface InTree {
  readonly id: number
  readonly parent?: number
  /** Number of ancestors, if all items are known. */
  readonly depth?: number
}

/** Maximum depth that a list shows; deeper items are shown at this depth. */
const MAX_SHOWN_DEPTH = 20

/** Reads the whole list if a tree is wanted and the list fits on one page; otherwise reads a page. */
export async function wholeTree<T>(
  { query }: AdminView,
  asTree: boolean,
  read: (overrides: Readonly<Record<string, unknown>>) => Promise<Answer<T[]>>,
): Promise<Answer<T[]> & { isTree: boolean }> {
  const isPlain = ['cursor', 'orderby', 'per_page'].every((name) => !query.get(name))
  if (!asTree || !isPlain) return { ...(await read({})), isTree: false }
  const all = await read({ per_page: MAX_PER_PAGE })
  const isWhole = !/rel="next"/.test(all.headers.get('link') ?? '')
  if (isWhole) return { ...all, isTree: true }
  return { ...(await read({})), isTree: false }
}

/** Sorts items so that each follows its parent. Items whose parent is missing are at the top level. */
export function inTreeOrder<T extends InTree>(items: readonly T[]): (T & { readonly depth: number })[] {
  const ids = new Set(items.map(({ id }) => id))
  const below = new Map<number, T[]>()
  for (const item of items) {
    const above = item.parent !== undefined && ids.has(item.parent) ? item.parent : 0
    const list = below.get(above)
    if (list === undefined) below.set(above, [item])
    else list.push(item)
  }
  const ordered: (T & { depth: number })[] = []
  const add = (parent: number, depth: number) => {
    const found = below.get(parent) ?? []
    below.delete(parent)
    for (const item of found) {
      ordered.push({ ...item, depth })
      add(item.id, Math.min(depth + 1, MAX_SHOWN_DEPTH))
    }
  }
  add(0, 0)
  // Items in a cycle have no ancestor at the top level.
  for (const parent of below.keys()) add(parent, 0)
  return ordered
}
