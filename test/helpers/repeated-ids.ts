import { readTags } from '../../plugins/rendering/html/index.ts'

/** Returns the IDs that several elements of a page have. */
export function repeatedIds(html: string): string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  readTags(html, () => false, {
    open(_name, attributes) {
      const id = attributes.get('id')
      if (id === undefined) return
      if (seen.has(id)) repeated.add(id)
      seen.add(id)
    },
  })
  return [...repeated]
}
