import type { ContentTypeSpec, TaxonomySpec } from '../../public.ts'

/** A content type that the database defines. */
export interface TypeDefinition {
  readonly name: string
  readonly spec: ContentTypeSpec
  /** Position in the menu of the admin, on the scale of WordPress. */
  readonly menuPosition?: number
}

/** A taxonomy that the database defines. */
export interface TaxonomyDefinition {
  readonly name: string
  /** The content types whose items can have its terms. */
  readonly types: readonly string[]
  readonly spec: TaxonomySpec
  /** Whether `taxonomies` shows no namespace, as Custom Post Type UI does for an empty field. */
  readonly hidesNamespace: boolean
}

/** All definitions of the database, by name. */
export interface CustomDefinitions {
  readonly types: ReadonlyMap<string, TypeDefinition>
  readonly taxonomies: ReadonlyMap<string, TaxonomyDefinition>
}

/** Values of a stored definition, by their names in it. */
export type Values = Readonly<Record<string, unknown>>

/** Returns a value as a text without spaces around it; '' if it is neither a text nor a number. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** Returns a yes or no, which can be stored as a text; `fallback` for an empty or missing value. */
export function flagOf(value: unknown, fallback: boolean): boolean {
  if (typeof value === 'boolean') return value
  const text = textOf(value).toLowerCase()
  if (text === '') return fallback
  return text !== 'false' && text !== '0'
}

/** Returns the position in the menu of the admin; an empty object without one. */
export function menuPositionOf(value: unknown): { menuPosition?: number } {
  const position = Number(textOf(value) || Number.NaN)
  return Number.isFinite(position) ? { menuPosition: position } : {}
}

/** Returns the texts of a list; a text is split at commas. */
export function textsOf(value: unknown): string[] {
  const all = typeof value === 'string' ? value.split(',') : recordOrList(value)
  return all.map(textOf).filter((text) => text !== '')
}

function recordOrList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}

/** Returns an object; an empty one for other values. */
export function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {}
}

/** Returns the labels that are not empty. */
export function labelsOf(value: unknown): Record<string, string> {
  const labels = Object.entries(valuesOf(value)).map(([name, label]) => [name, textOf(label)] as const)
  return Object.fromEntries(labels.filter(([, label]) => label !== ''))
}

/** Returns the namespace of a definition; undefined for the default, which definitions of other sites name differently. */
export function namespaceOf(value: unknown, exportedWord: string): string | undefined {
  const namespace = textOf(value)
  return namespace === '' || namespace === `${exportedWord}/v2` ? undefined : namespace
}

/** Returns an object without its undefined values, which mean the default. */
export function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
