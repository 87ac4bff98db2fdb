import type { Field } from './model.ts'
import { cloneePrefix, layoutNames, rowCount, valueFields, type ReadKey } from './shape.ts'

/** Values to store by key; null removes a key. */
export type StoredChanges = Map<string, unknown>

/**
 * Adds the keys that store a value of a field to `changes`: the value, and a reference to the definition under the same
 * key with a leading `_`. A group changes only the fields within it that the value has; null and an empty list clear it.
 */
export function addStored(field: Field, value: unknown, changes: StoredChanges, read: ReadKey, prefix = ''): void {
  const key = `${prefix}${field.name}`
  const set = (stored: unknown) => {
    changes.set(key, stored)
    changes.set(`_${key}`, stored === null ? null : field.key)
  }
  switch (field.type) {
    case 'group':
    case 'clone': {
      const inner = field.type === 'group' ? `${key}_` : cloneePrefix(field, prefix)
      const values = valuesOf(value)
      for (const one of valueFields(field.fields)) {
        if (values === null) addStored(one, null, changes, read, inner)
        else if (one.name in values) addStored(one, values[one.name], changes, read, inner)
      }
      set(values === null ? null : '')
      return
    }
    case 'repeater': {
      const rows = rowsOf(value)
      for (let row = rows.length; row < rowCount(read(key)); row += 1)
        for (const one of valueFields(field.fields)) addStored(one, null, changes, read, `${key}_${row}_`)
      rows.forEach((values, row) => addRow(field.fields, values, changes, read, `${key}_${row}_`))
      set(value === null ? null : String(rows.length))
      return
    }
    case 'flexible_content': {
      const layoutOf = (name: unknown) => field.layouts.find((layout) => layout.name === name)
      const rows = rowsOf(value).filter((row) => layoutOf(row['acf_fc_layout']) !== undefined)
      layoutNames(read(key)).forEach((name, row) => {
        for (const one of valueFields(layoutOf(name)?.fields ?? []))
          addStored(one, null, changes, read, `${key}_${row}_`)
      })
      rows.forEach((values, row) =>
        addRow(layoutOf(values['acf_fc_layout'])!.fields, values, changes, read, `${key}_${row}_`),
      )
      set(value === null ? null : rows.map((row) => row['acf_fc_layout']))
      return
    }
    default:
      set(value === null ? null : storedForm(value))
  }
}

function addRow(
  fields: readonly Field[],
  values: Readonly<Record<string, unknown>>,
  changes: StoredChanges,
  read: ReadKey,
  prefix: string,
): void {
  for (const one of valueFields(fields)) {
    if (one.name in values) addStored(one, values[one.name], changes, read, prefix)
  }
}

/** Returns the values of a group by name; null if it is cleared. */
function valuesOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return null
  return value as Readonly<Record<string, unknown>>
}

function rowsOf(value: unknown): Record<string, unknown>[] {
  const list: unknown[] = Array.isArray(value) ? value : []
  return list.filter((row) => typeof row === 'object' && row !== null) as Record<string, unknown>[]
}

/** Returns a value as exports contain it: numbers and switches as text. */
function storedForm(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'number' ? String(one) : (one as unknown)))
  return value
}
