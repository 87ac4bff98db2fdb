/** A subtree of `theme.json`. */
export type Tree = Record<string, unknown>

/** The contents of `theme.json`: settings for editors, and styles. */
export interface StylesJson extends Tree {
  version?: number
  title?: string
  settings?: Tree
  styles?: Tree
}

/** Origins of presets, in ascending priority. */
export const ORIGINS = ['default', 'theme', 'custom'] as const
export type Origin = (typeof ORIGINS)[number]

export const THEME_JSON_VERSION = 3

/** A kind of presets: its path in the settings, and the CSS generated for each preset. */
export interface PresetKind {
  readonly path: readonly [group: string, list: string]
  /** Key of the value in a preset. */
  readonly value: string
  /** Part of its variable names: `color` in `preset--color--black`. */
  readonly variable: string
  /** Generated classes, and the property each of them sets. */
  readonly classes: readonly (readonly [suffix: string, property: string])[]
}

export const PRESETS: readonly PresetKind[] = [
  {
    path: ['dimensions', 'aspectRatios'],
    value: 'ratio',
    variable: 'aspect-ratio',
    classes: [],
  },
  { path: ['dimensions', 'dimensionSizes'], value: 'size', variable: 'dimension', classes: [] },
  {
    path: ['color', 'palette'],
    value: 'color',
    variable: 'color',
    classes: [
      ['color', 'color'],
      ['background-color', 'background-color'],
      ['border-color', 'border-color'],
    ],
  },
  {
    path: ['color', 'gradients'],
    value: 'gradient',
    variable: 'gradient',
    classes: [['gradient-background', 'background']],
  },
  { path: ['color', 'duotone'], value: 'colors', variable: 'duotone', classes: [] },
  {
    path: ['typography', 'fontSizes'],
    value: 'size',
    variable: 'font-size',
    classes: [['font-size', 'font-size']],
  },
  {
    path: ['typography', 'fontFamilies'],
    value: 'fontFamily',
    variable: 'font-family',
    classes: [['font-family', 'font-family']],
  },
  {
    path: ['spacing', 'spacingSizes'],
    value: 'size',
    variable: 'spacing',
    classes: [],
  },
  { path: ['shadow', 'presets'], value: 'shadow', variable: 'shadow', classes: [] },
  { path: ['border', 'radiusSizes'], value: 'size', variable: 'border-radius', classes: [] },
]

/** Allowed keys of a tree: leaves, or subtrees. */
interface AllowedKeys {
  readonly [name: string]: true | AllowedKeys
}

function leaves(names: string): Record<string, true> {
  return Object.fromEntries(names.split(' ').map((name) => [name, true]))
}

const SETTINGS: AllowedKeys = {
  ...leaves('appearanceTools useRootPaddingAwareAlignments custom'),
  background: leaves('backgroundImage backgroundSize gradient'),
  border: leaves('color radius radiusSizes style width'),
  color: leaves(
    'background button caption custom customDuotone customGradient defaultDuotone defaultGradients defaultPalette ' +
      'duotone gradients heading link palette text',
  ),
  dimensions: leaves('aspectRatio aspectRatios defaultAspectRatios dimensionSizes height minHeight minWidth width'),
  layout: leaves('contentSize wideSize allowEditing allowCustomContentAndWideSize'),
  lightbox: leaves('enabled allowEditing'),
  position: leaves('fixed sticky'),
  shadow: leaves('presets defaultPresets'),
  spacing: leaves('blockGap customSpacingSize defaultSpacingSizes margin padding spacingScale spacingSizes units'),
  typography: leaves(
    'customFontSize defaultFontSizes dropCap fluid fontFamilies fontSizes fontStyle fontWeight letterSpacing ' +
      'lineHeight textAlign textColumns textDecoration textIndent textTransform writingMode',
  ),
}

/** Style groups allowed in all styles. */
const STYLES: AllowedKeys = {
  ...leaves('shadow css'),
  background: leaves(
    'backgroundImage backgroundPosition backgroundRepeat backgroundSize backgroundAttachment gradient',
  ),
  border: leaves('color radius style width top right bottom left'),
  color: leaves('background gradient text'),
  dimensions: leaves('aspectRatio height minHeight minWidth width'),
  filter: leaves('duotone'),
  outline: leaves('color offset style width'),
  spacing: leaves('blockGap margin padding'),
  typography: leaves(
    'fontFamily fontSize fontStyle fontWeight letterSpacing lineHeight textAlign textColumns textDecoration ' +
      'textIndent textTransform writingMode',
  ),
}

const PSEUDO = [':link', ':any-link', ':visited', ':hover', ':focus', ':focus-visible', ':active'] as const
export const ELEMENTS = 'link heading h1 h2 h3 h4 h5 h6 button caption cite textInput select'.split(' ')

const BLOCK_NAME = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/
const VARIATION_NAME = /^[a-z0-9_-]+$/i

/** Whether a value is an object and not an array. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value at a path, or undefined. */
export function valueAt(tree: unknown, ...path: readonly string[]): unknown {
  let found = tree
  for (const name of path) {
    if (!isTree(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}

/** Returns the known parts of a `theme.json`, migrated to the current version. */
export function sanitizeThemeJson(json: Tree): StylesJson {
  const { settings, styles, title } = migrated(json)
  return {
    version: THEME_JSON_VERSION,
    ...(typeof title === 'string' && { title }),
    ...(isTree(settings) && { settings: knownSettings(settings) }),
    ...(isTree(styles) && { styles: knownStyles(styles) }),
  }
}

/** Returns the known settings. */
export function knownSettings(settings: Tree): Tree {
  const allowed = pick(settings, SETTINGS)
  const blocks = named(settings['blocks'], BLOCK_NAME, (block) => pick(block, SETTINGS))
  return blocks === null ? allowed : { ...allowed, blocks }
}

/** Returns the known styles of the root, of elements, of blocks and of block variations. */
export function knownStyles(styles: Tree): Tree {
  const blocks = named(styles['blocks'], BLOCK_NAME, (block) => {
    const variations = named(block['variations'], VARIATION_NAME, withElements)
    return variations === null ? withElements(block) : { ...withElements(block), variations }
  })
  return blocks === null ? withElements(styles) : { ...withElements(styles), blocks }
}

function withElements(styles: Tree): Tree {
  const allowed = pick(styles, STYLES)
  const elements: Tree = {}
  for (const name of ELEMENTS) {
    const element = valueAt(styles, 'elements', name)
    if (!isTree(element)) continue
    const states = PSEUDO.map((state) => [state, valueAt(element, state)] as const)
    const stateStyles = states.flatMap(([state, part]) => (isTree(part) ? [[state, pick(part, STYLES)] as const] : []))
    elements[name] = { ...pick(element, STYLES), ...Object.fromEntries(stateStyles) }
  }
  return Object.keys(elements).length === 0 ? allowed : { ...allowed, elements }
}

function pick(tree: Tree, allowedKeys: AllowedKeys): Tree {
  const picked: Tree = {}
  for (const [name, below] of Object.entries(allowedKeys)) {
    const value = valueAt(tree, name)
    // A gap of null disables it; null has no meaning elsewhere.
    if (value === undefined || (value === null && name !== 'blockGap')) continue
    if (below === true) picked[name] = value
    else if (isTree(value)) {
      const part = pick(value, below)
      if (Object.keys(part).length > 0) picked[name] = part
    }
  }
  return picked
}

/** Returns the subtrees whose keys match a pattern, or null if no key does. */
function named(parts: unknown, form: RegExp, convert: (part: Tree) => Tree): Tree | null {
  if (!isTree(parts)) return null
  const found = Object.entries(parts).filter(
    (entry): entry is [string, Tree] => form.test(entry[0]) && entry[0].length <= 200 && isTree(entry[1]),
  )
  return found.length === 0 ? null : Object.fromEntries(found.map(([name, part]) => [name, convert(part)]))
}

/** Migrates a `theme.json` to the current version. */
function migrated(json: Tree): Tree {
  const version = typeof json['version'] === 'number' ? json['version'] : THEME_JSON_VERSION
  if (version >= THEME_JSON_VERSION || !isTree(json['settings'])) return json
  const settings = structuredClone(json['settings'])
  if (version < 2) renameFirst(settings)
  // Before version 3, sizes of the theme replaced the default sizes.
  for (const [group, list, uses] of [
    ['typography', 'fontSizes', 'defaultFontSizes'],
    ['spacing', 'spacingSizes', 'defaultSpacingSizes'],
  ] as const) {
    const part = settings[group]
    if (isTree(part) && part[list] !== undefined) part[uses] ??= false
  }
  return { ...json, settings }
}

/** Renames settings of version 1. */
function renameFirst(settings: Tree): void {
  for (const [group, before, now] of [
    ['border', 'customRadius', 'radius'],
    ['spacing', 'customMargin', 'margin'],
    ['spacing', 'customPadding', 'padding'],
    ['typography', 'customLineHeight', 'lineHeight'],
  ] as const) {
    const part = settings[group]
    if (isTree(part) && part[before] !== undefined) part[now] ??= part[before]
  }
}

/** Settings that `appearanceTools` enables. */
const APPEARANCE: readonly (readonly [group: string, names: readonly string[]])[] = [
  ['background', ['backgroundImage', 'backgroundSize', 'gradient']],
  ['border', ['color', 'radius', 'style', 'width']],
  ['color', ['button', 'caption', 'heading', 'link']],
  ['dimensions', ['aspectRatio', 'height', 'minHeight', 'minWidth', 'width']],
  ['position', ['sticky']],
  ['spacing', ['blockGap', 'margin', 'padding']],
  ['typography', ['lineHeight']],
]

/**
 * Returns a `theme.json` with presets grouped by origin, so that it can be merged with others.
 * @param lists origin of preset lists that are not grouped yet
 */
export function ofOrigin(json: Tree, lists: Origin): StylesJson {
  const sanitized = sanitizeThemeJson(json)
  if (sanitized.settings === undefined) return sanitized
  const { blocks, ...settings } = sanitized.settings
  const spelled = (part: Tree) => presetsOf(appearance(part), lists)
  const global = spelled(settings)
  if (!isTree(blocks)) return { ...sanitized, settings: global }
  const ofBlocks = Object.entries(blocks).map(([name, block]) => [name, spelled(block as Tree)])
  return { ...sanitized, settings: { ...global, blocks: Object.fromEntries(ofBlocks) } }
}

function appearance(settings: Tree): Tree {
  const { appearanceTools, ...found } = settings
  if (appearanceTools !== true) return settings
  for (const [group, names] of APPEARANCE) {
    const on = Object.fromEntries(names.map((name) => [name, true]))
    found[group] = { ...on, ...(found[group] as Tree | undefined) }
  }
  return found
}

function presetsOf(settings: Tree, lists: Origin): Tree {
  const found = { ...settings }
  for (const { path } of PRESETS) {
    const [group, name] = path
    const list = valueAt(settings, group, name)
    if (list === undefined) continue
    found[group] = { ...(found[group] as Tree), [name]: Array.isArray(list) ? { [lists]: list } : byOrigin(list) }
  }
  const scale = valueAt(settings, 'spacing', 'spacingScale')
  const isScale = isTree(scale) && !ORIGINS.some((origin) => Object.hasOwn(scale, origin))
  if (isScale) found['spacing'] = { ...(found['spacing'] as Tree), spacingScale: { [lists]: scale } }
  return found
}

function byOrigin(list: unknown): Tree {
  const entries = ORIGINS.map((origin) => [origin, valueAt(list, origin)] as const)
  return Object.fromEntries(entries.filter(([, presets]) => Array.isArray(presets)))
}

/** Merges two trees. Values of the second tree win; lists are replaced, not merged. */
export function merge<T extends Tree>(first: T, second: Tree): T {
  const merged: Tree = { ...first }
  for (const [name, value] of Object.entries(second)) {
    if (name === '__proto__') continue
    const before = Object.hasOwn(merged, name) ? merged[name] : undefined
    merged[name] = isTree(before) && isTree(value) ? merge(before, value) : value
  }
  return merged as T
}

/**
 * Returns the presets of a kind; for equal slugs, the origin with the higher priority wins. Default presets are always
 * included: settings such as `defaultPalette` hide them in editors, and existing content can refer to them.
 */
export function usedPresets(settings: unknown, { path: [group, list] }: PresetKind): Tree[] {
  const bySlug = new Map<string, Tree>()
  for (const origin of ORIGINS) {
    const presets = valueAt(settings, group, list, origin)
    if (!Array.isArray(presets)) continue
    for (const preset of presets as unknown[]) {
      const slug = isTree(preset) ? preset['slug'] : undefined
      if (typeof slug === 'string' || typeof slug === 'number') bySlug.set(String(slug), preset as Tree)
    }
  }
  return [...bySlug.values()]
}

/** Converts merged styles back to the form of a file, in which presets are plain lists. */
export function withListedPresets(json: StylesJson): StylesJson {
  const listed = (settings: Tree) => {
    const found = { ...settings }
    for (const kind of PRESETS) {
      const [group, list] = kind.path
      if (valueAt(settings, group, list) !== undefined)
        found[group] = { ...(found[group] as Tree), [list]: usedPresets(settings, kind) }
    }
    return found
  }
  if (json.settings === undefined) return json
  const { blocks, ...settings } = json.settings
  const ofBlocks = Object.entries(isTree(blocks) ? blocks : {}).map(([name, block]) => [name, listed(block as Tree)])
  return {
    ...json,
    settings: { ...listed(settings), ...(blocks !== undefined && { blocks: Object.fromEntries(ofBlocks) }) },
  }
}

/** Replaces preset references by CSS variables: `var:preset|color|base` becomes `var(--MARK--preset--color--base)`. */
export function withVariables<T>(value: T, mark: string): T {
  if (typeof value === 'string') {
    if (!value.startsWith('var:')) return value
    return `var(--${mark}--${value.slice(4).split('|').map(kebab).join('--')})` as T
  }
  if (Array.isArray(value)) return value.map((item: unknown) => withVariables(item, mark)) as T
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withVariables(part, mark)])) as T
}

/** Converts a name to its form in classes and variables: `primaryDark2` becomes `primary-dark-2`. */
export function kebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([a-zA-Z])(\d)/g, '$1-$2')
    .replaceAll(/(\d)([a-zA-Z])/g, '$1-$2')
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase()
}
