import { isOn, isSet, LAYOUT_TYPES, type Field } from './model.ts'

/** Returns the stored value of a key; undefined if the object has none. */
export type ReadKey = (key: string) => unknown

/** Converts the stored value of a field that contains no other fields. */
export type Leaf = (field: Field, stored: unknown, key: string) => unknown

/** A repeater or flexible content has at most this many rows. */
const MAX_ROWS = 2000

/**
 * Builds the value of a field from the keys under which an object stores it: fields within others have the keys
 * `group_sub` and `repeater_0_sub`.
 * @param prefix beginning of the keys, from the fields around it
 */
export function shapeOf(field: Field, read: ReadKey, leaf: Leaf, prefix = ''): unknown {
  const key = `${prefix}${field.name}`
  const objectOf = (fields: readonly Field[], inner: string): Record<string, unknown> =>
    Object.fromEntries(valueFields(fields).map((one) => [one.name, shapeOf(one, read, leaf, inner)]))
  switch (field.type) {
    case 'group':
      return objectOf(field.fields, `${key}_`)
    case 'clone':
      return objectOf(field.fields, cloneePrefix(field, prefix))
    case 'repeater': {
      const count = rowCount(read(key))
      if (count === 0) return false
      return Array.from({ length: count }, (_, row) => objectOf(field.fields, `${key}_${row}_`))
    }
    case 'flexible_content': {
      const names = layoutNames(read(key))
      if (names.length === 0) return false
      return names.flatMap((name, row) => {
        const layout = field.layouts.find((one) => one.name === name)
        return layout === undefined ? [] : [{ acf_fc_layout: name, ...objectOf(layout.fields, `${key}_${row}_`) }]
      })
    }
    default:
      return leaf(field, read(key), key)
  }
}

/** Returns the fields that have a value. */
export function valueFields(fields: readonly Field[]): Field[] {
  return fields.filter(({ name, type }) => name !== '' && !LAYOUT_TYPES.has(type))
}

/** Returns the beginning of the keys of fields within a clone that is shown as a group. */
export function cloneePrefix(field: Field, prefix: string): string {
  return isSet(field, 'prefix_name') ? `${prefix}${field.name}_` : prefix
}

/** Returns the number of rows of a repeater. */
export function rowCount(stored: unknown): number {
  const count = Array.isArray(stored) ? stored.length : Number(stored)
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_ROWS) : 0
}

/** Returns the layouts of the rows of flexible content. */
export function layoutNames(stored: unknown): string[] {
  const list = Array.isArray(stored) ? (stored as unknown[]) : []
  return list.filter((name) => typeof name === 'string').slice(0, MAX_ROWS)
}

/** Calls a function for each field without inner fields, with its stored value. */
export function visitLeaves(fields: readonly Field[], read: ReadKey, visit: Leaf): void {
  for (const field of valueFields(fields)) shapeOf(field, read, visit)
}

/** Waits for the promises in a value. */
export async function settled(value: unknown): Promise<unknown> {
  if (value instanceof Promise) return settled(await value)
  if (Array.isArray(value)) return Promise.all(value.map(settled))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(async ([name, inner]) => [name, await settled(inner)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** Whether a stored value is empty. */
export const isEmpty = (stored: unknown): boolean =>
  Array.isArray(stored) ? stored.length === 0 : stored === undefined || !isOn(stored as never)
