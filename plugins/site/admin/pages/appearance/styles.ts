import type { Values } from '../../parts/schema-fields.ts'
import { toHexColor } from './contrast.ts'

/** A theme.json tree, or a part of it. */
export type Tree = Readonly<Record<string, unknown>>

/** Styles of a theme or of a user. */
export interface Styles {
  readonly settings: Tree
  readonly styles: Tree
}

/** A preset color or font of a theme. */
export interface Preset {
  readonly slug: string
  readonly name: string
  /** A CSS color or font family. */
  readonly value: string
}

/** Paths of the form values in the styles. */
const VALUE_PATHS = {
  background: ['styles', 'color', 'background'],
  text: ['styles', 'color', 'text'],
  link: ['styles', 'elements', 'link', 'color', 'text'],
  body_font: ['styles', 'typography', 'fontFamily'],
  heading_font: ['styles', 'elements', 'heading', 'typography', 'fontFamily'],
  content_size: ['settings', 'layout', 'contentSize'],
  wide_size: ['settings', 'layout', 'wideSize'],
} as const
export type Place = keyof typeof VALUE_PATHS
const PLACE_NAMES = Object.keys(VALUE_PATHS) as Place[]
const KINDS: Readonly<Partial<Record<Place, string>>> = {
  background: 'color',
  text: 'color',
  link: 'color',
  body_font: 'font-family',
  heading_font: 'font-family',
}
const PALETTE = ['settings', 'color', 'palette', 'theme'] as const

/** Returns the styles in a response of the REST API. */
export function stylesOf(data: Tree): Styles {
  const part = (name: string) => (isTree(data[name]) ? data[name] : {})
  return { settings: part('settings'), styles: part('styles') }
}

/** Returns the colors of a theme with the user's changes. */
export function paletteOf(theme: Styles, own: Styles): Preset[] {
  const changed = new Map(presets(at(own, PALETTE), 'color').map(({ slug, value }) => [slug, value]))
  return presets(at(theme, PALETTE), 'color').map((one) => ({ ...one, value: changed.get(one.slug) ?? one.value }))
}

/** Returns the fonts of the theme and of the user. */
export function fontsOf(theme: Styles, own: Styles): Preset[] {
  const of = (styles: Styles) =>
    ['theme', 'custom'].flatMap((origin) =>
      presets(at(styles, ['settings', 'typography', 'fontFamilies', origin]), 'fontFamily'),
    )
  return [...new Map([...of(theme), ...of(own)].map((one) => [one.slug, one])).values()]
}

/** Returns the value of a form field: the slug if it references a preset, `''` if unset. */
export function valueAt(styles: Styles, place: Place): string {
  const value = at(styles, VALUE_PATHS[place])
  if (typeof value !== 'string') return ''
  if (KINDS[place] === undefined) return value
  return (
    /^var\(--\w+--preset--[a-z-]+?--([\w-]+)\)$/.exec(value)?.[1] ??
    /^var:preset\|[\w-]+\|([\w-]+)$/.exec(value)?.[1] ??
    value
  )
}

/** Returns the initial values of the form: the user's styles and the colors of the palette. */
export function appearanceValues(theme: Styles, own: Styles): Record<string, string> {
  const colors = paletteOf(theme, own).map(({ slug, value }) => [`color.${slug}`, value] as const)
  return Object.fromEntries([...PLACE_NAMES.map((name) => [name, valueAt(own, name)] as const), ...colors])
}

/**
 * Returns the user's styles with the changes of the form. @param changed values by the names of `appearanceValues`; `''`
 * resets to the theme
 */
export function withChanges(theme: Styles, own: Styles, changed: Values): Styles {
  let tree: Tree = { ...own }
  for (const name of PLACE_NAMES) {
    const value = changed[name]
    if (typeof value !== 'string') continue
    const kind = KINDS[name]
    const written = kind === undefined || toHexColor(value) !== null ? value : `var:preset|${kind}|${value}`
    tree = withAt(tree, VALUE_PATHS[name], value === '' ? undefined : written)
  }
  if (Object.keys(changed).some((name) => name.startsWith('color.'))) {
    const palette = paletteOf(theme, own).map(({ slug, name, value }) => {
      const edited = changed[`color.${slug}`]
      return { slug, name, color: typeof edited === 'string' ? edited : value }
    })
    const same = presets(at(theme, PALETTE), 'color').every(({ value }, index) => palette[index]?.color === value)
    tree = withAt(tree, PALETTE, same ? undefined : palette)
  }
  return stylesOf(tree)
}

/** Resolves a form value to a hexadecimal color; null if it is not one. */
export function resolveColor(value: string, palette: readonly Preset[]): string | null {
  return toHexColor(palette.find(({ slug }) => slug === value)?.value ?? value)
}

function presets(list: unknown, key: string): Preset[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((one: unknown) => {
    if (!isTree(one)) return []
    const { slug, name, [key]: value } = one
    if (typeof slug !== 'string' || typeof value !== 'string') return []
    return [{ slug, name: typeof name === 'string' ? name : slug, value: toHexColor(value) ?? value }]
  })
}

function at(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (isTree(part) ? part[name] : undefined), tree)
}

/** Returns a copy of the tree with a value at a path; subtrees that become empty are removed. */
function withAt(tree: Tree, [name = '', ...path]: readonly string[], value: unknown): Tree {
  const { [name]: part, ...others } = tree
  const inner = path.length === 0 ? value : withAt(isTree(part) ? part : {}, path, value)
  const isEmpty = inner === undefined || (isTree(inner) && Object.keys(inner).length === 0)
  return isEmpty ? others : { ...others, [name]: inner }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
