import { visitLeaves, type ReadKey } from './shape.ts'
import type { Field } from './model.ts'

/** An object that a field refers to. */
export interface Reference {
  readonly kind: 'post' | 'term' | 'user'
  readonly id: number
}

const KINDS: Readonly<Record<string, Reference['kind']>> = {
  post_object: 'post',
  page_link: 'post',
  relationship: 'post',
  taxonomy: 'term',
  user: 'user',
}

/** Returns the objects that fields refer to, each once, in the order in which clients know their links. */
export function referencesOf(fields: readonly Field[], read: ReadKey): Reference[] {
  const found = new Map<string, Reference>()
  visitLeaves(fields, read, ({ type }, stored) => {
    const kind = KINDS[type]
    if (kind === undefined) return
    for (const value of [stored].flat()) {
      const id = Number(value)
      if (Number.isSafeInteger(id) && id > 0) found.set(`${kind} ${id}`, found.get(`${kind} ${id}`) ?? { kind, id })
    }
  })
  return [...found.values()].reverse()
}
