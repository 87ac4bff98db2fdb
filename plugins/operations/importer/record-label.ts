import type { WxrRecord } from './wxr/types.ts'

const MAX_LABEL_LENGTH = 120

/** The name of a record in the report. */
export function labelOf(record: WxrRecord): string {
  if (record.kind === 'item') return nameOf([record.title.trim(), record.slug], record.id, 'item')
  if (record.kind === 'author') return nameOf([record.login, record.name], record.id, 'author')
  return record.kind === 'term' ? nameOf([record.name, record.slug], record.id, 'term') : ''
}

function nameOf(names: readonly string[], id: number, kind: string): string {
  const name = names.find((one) => one !== '') ?? (id === 0 ? `${kind} without a name` : `${kind} ${id}`)
  return name.slice(0, MAX_LABEL_LENGTH)
}
