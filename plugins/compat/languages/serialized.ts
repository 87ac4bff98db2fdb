import { readPhp, writePhp } from '../php-values.ts'

/** A flat map as PHP serializes it: the locale of a language, or the translations of a post. */
export type FlatMap = Readonly<Record<string, string | number | boolean>>

/** Reads a serialized flat map; an empty map if the text is not one. Entries with other values are left out. */
export function readMap(text: string): FlatMap {
  const value = text.startsWith('a:') ? readPhp(text) : undefined
  const entries = value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : []
  return Object.fromEntries(
    entries.flatMap(([key, one]) =>
      typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean' ? [[key, one] as const] : [],
    ),
  )
}

/** Serializes a flat map. */
export function writeMap(map: FlatMap): string {
  return writePhp(map)
}
