import type { AdminView, Answer } from '../frame/view.ts'
import { MOST_PER_PAGE } from './list.ts'

/** Something that may stand below another of its kind. */
export interface InTree {
  readonly id: number
  readonly parent?: number
  /** How many stand above it, where all of them are known. */
  readonly depth?: number
}

/** Levels that a tree is shown with; what is deeper stands as deep as these. */
const MAX_SHOWN_DEPTH = 20

/**
 * Reads a list as a whole where it is small enough for one page, so that it can be shown as a tree; otherwise, and where no
 * tree is wanted, a page of it.
 */
export async function wholeTree<T>(
  { query }: AdminView,
  wanted: boolean,
  ask: (more: Readonly<Record<string, unknown>>) => Promise<Answer<T[]>>,
): Promise<Answer<T[]> & { isTree: boolean }> {
  const isPlain = ['cursor', 'orderby', 'per_page'].every((name) => !query.get(name))
  if (!wanted || !isPlain) return { ...(await ask({})), isTree: false }
  const all = await ask({ per_page: MOST_PER_PAGE })
  const isWhole = !/rel="next"/.test(all.headers.get('link') ?? '')
  if (isWhole) return { ...all, isTree: true }
  return { ...(await ask({})), isTree: false }
}

/** Items as a tree: each behind what it stands below. Those below what is not there stand at the top. */
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
  // A circle is below nothing that is at the top.
  for (const parent of below.keys()) add(parent, 0)
  return ordered
}
