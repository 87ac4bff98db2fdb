/** A part of a `theme.json`. */
export type Tree = Record<string, unknown>

/** A `theme.json`: settings for editors, and styles. */
export interface StylesJson extends Tree {
  version?: number
  title?: string
  settings?: Tree
  styles?: Tree
}

/** Where presets come from; the later wins. */
export const ORIGINS = ['default', 'theme', 'custom'] as const
export type Origin = (typeof ORIGINS)[number]

export const THEME_JSON_VERSION = 3

/** A list of presets: where it stands in the settings, and what is made of each. */
export interface PresetKind {
  readonly path: readonly [group: string, list: string]
  /** The key of a preset that has its value. */
  readonly value: string
  /** What the names of its variables have: `color` of `preset--color--black`. */
  readonly variable: string
  /** The setting that says whether the presets of the defaults are used. */
  readonly uses?: string
  /** Classes and the property that each sets. */
  readonly classes: readonly (readonly [suffix: string, property: string])[]
}

export const PRESETS: readonly PresetKind[] = [
  {
    path: ['dimensions', 'aspectRatios'],
    value: 'ratio',
    variable: 'aspect-ratio',
    uses: 'defaultAspectRatios',
    classes: [],
  },
  { path: ['dimensions', 'dimensionSizes'], value: 'size', variable: 'dimension', classes: [] },
  {
    path: ['color', 'palette'],
    value: 'color',
    variable: 'color',
    uses: 'defaultPalette',
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
    uses: 'defaultGradients',
    classes: [['gradient-background', 'background']],
  },
  { path: ['color', 'duotone'], value: 'colors', variable: 'duotone', uses: 'defaultDuotone', classes: [] },
  {
    path: ['typography', 'fontSizes'],
    value: 'size',
    variable: 'font-size',
    uses: 'defaultFontSizes',
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
    uses: 'defaultSpacingSizes',
    classes: [],
  },
  { path: ['shadow', 'presets'], value: 'shadow', variable: 'shadow', uses: 'defaultPresets', classes: [] },
  { path: ['border', 'radiusSizes'], value: 'size', variable: 'border-radius', classes: [] },
]

/** Which keys a tree may have: names of leaves, or trees below them. */
interface Known {
  readonly [name: string]: true | Known
}

function leaves(names: string): Record<string, true> {
  return Object.fromEntries(names.split(' ').map((name) => [name, true]))
}

const SETTINGS: Known = {
  ...leaves('appearanceTools useRootPaddingAwareAlignments custom'),
  background: leaves('backgroundImage backgroundSize gradient'),
  border: leaves('color radius radiusSizes style width'),
  color: leaves(
    'background button caption custom customDuotone customGradient defaultDuotone defaultGradients defaultPalette ' +
      'duotone gradients heading link palette text',
  ),
  dimensions: leaves('aspectRatio aspectRatios defaultAspectRatios dimensionSizes height minHeight width'),
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

/** The groups of styles that anything with styles may have. */
const STYLES: Known = {
  ...leaves('shadow css'),
  background: leaves(
    'backgroundImage backgroundPosition backgroundRepeat backgroundSize backgroundAttachment gradient',
  ),
  border: leaves('color radius style width top right bottom left'),
  color: leaves('background gradient text'),
  dimensions: leaves('aspectRatio height minHeight width'),
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

/** Whether a value is an object that is no list. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A part of a tree; undefined where there is none. */
export function at(tree: unknown, ...path: readonly string[]): unknown {
  let found = tree
  for (const name of path) {
    if (!isTree(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}

/** What a `theme.json` has that is known, in the form of today. What is not known is left out. */
export function knownOf(json: Tree): StylesJson {
  const { settings, styles, title } = migrated(json)
  return {
    version: THEME_JSON_VERSION,
    ...(typeof title === 'string' && { title }),
    ...(isTree(settings) && { settings: knownSettings(settings) }),
    ...(isTree(styles) && { styles: knownStyles(styles) }),
  }
}

/** The settings that are known. */
export function knownSettings(settings: Tree): Tree {
  const own = pick(settings, SETTINGS)
  const blocks = named(settings['blocks'], BLOCK_NAME, (block) => pick(block, SETTINGS))
  return blocks === null ? own : { ...own, blocks }
}

/** The styles that are known: of the whole, of elements and of blocks, with those of their variations. */
export function knownStyles(styles: Tree): Tree {
  const blocks = named(styles['blocks'], BLOCK_NAME, (block) => {
    const variations = named(block['variations'], VARIATION_NAME, withElements)
    return variations === null ? withElements(block) : { ...withElements(block), variations }
  })
  return blocks === null ? withElements(styles) : { ...withElements(styles), blocks }
}

function withElements(styles: Tree): Tree {
  const own = pick(styles, STYLES)
  const elements: Tree = {}
  for (const name of ELEMENTS) {
    const element = at(styles, 'elements', name)
    if (!isTree(element)) continue
    const states = PSEUDO.map((state) => [state, at(element, state)] as const)
    const known = states.flatMap(([state, part]) => (isTree(part) ? [[state, pick(part, STYLES)] as const] : []))
    elements[name] = { ...pick(element, STYLES), ...Object.fromEntries(known) }
  }
  return Object.keys(elements).length === 0 ? own : { ...own, elements }
}

function pick(tree: Tree, known: Known): Tree {
  const picked: Tree = {}
  for (const [name, below] of Object.entries(known)) {
    const value = at(tree, name)
    if (value === undefined || value === null) continue
    if (below === true) picked[name] = value
    else if (isTree(value)) {
      const part = pick(value, below)
      if (Object.keys(part).length > 0) picked[name] = part
    }
  }
  return picked
}

/** Parts of a tree by free names of a form; null where there is none. */
function named(parts: unknown, form: RegExp, of: (part: Tree) => Tree): Tree | null {
  if (!isTree(parts)) return null
  const found = Object.entries(parts).filter(
    (entry): entry is [string, Tree] => form.test(entry[0]) && entry[0].length <= 200 && isTree(entry[1]),
  )
  return found.length === 0 ? null : Object.fromEntries(found.map(([name, part]) => [name, of(part)]))
}

/** A `theme.json` of an earlier version in the form of today. */
function migrated(json: Tree): Tree {
  const version = typeof json['version'] === 'number' ? json['version'] : THEME_JSON_VERSION
  if (version >= THEME_JSON_VERSION || !isTree(json['settings'])) return json
  const settings = structuredClone(json['settings'])
  if (version < 2) renameFirst(settings)
  // Before version 3, own sizes stood in the place of those of the defaults.
  for (const [group, list, uses] of [
    ['typography', 'fontSizes', 'defaultFontSizes'],
    ['spacing', 'spacingSizes', 'defaultSpacingSizes'],
  ] as const) {
    const part = settings[group]
    if (isTree(part) && part[list] !== undefined) part[uses] ??= false
  }
  return { ...json, settings }
}

/** Names of version 1. */
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

/** What `appearanceTools` switches on at once. */
const APPEARANCE: readonly (readonly [group: string, names: readonly string[]])[] = [
  ['background', ['backgroundImage', 'backgroundSize']],
  ['border', ['color', 'radius', 'style', 'width']],
  ['color', ['button', 'caption', 'heading', 'link']],
  ['dimensions', ['aspectRatio', 'height', 'minHeight', 'width']],
  ['position', ['sticky']],
  ['spacing', ['blockGap', 'margin', 'padding']],
  ['typography', ['lineHeight']],
]

/**
 * A `theme.json` with its presets kept by where they come from, so that it can be merged with others.
 * @param lists where a list of presets comes from that does not say it
 */
export function ofOrigin(json: Tree, lists: Origin): StylesJson {
  const known = knownOf(json)
  if (known.settings === undefined) return known
  const { blocks, ...settings } = known.settings
  const spelled = (part: Tree) => presetsOf(appearance(part), lists)
  const own = spelled(settings)
  if (!isTree(blocks)) return { ...known, settings: own }
  const ofBlocks = Object.entries(blocks).map(([name, block]) => [name, spelled(block as Tree)])
  return { ...known, settings: { ...own, blocks: Object.fromEntries(ofBlocks) } }
}

function appearance({ appearanceTools, ...settings }: Tree): Tree {
  if (appearanceTools !== true) return settings
  const found = { ...settings }
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
    const list = at(settings, group, name)
    if (list === undefined) continue
    found[group] = { ...(found[group] as Tree), [name]: Array.isArray(list) ? { [lists]: list } : byOrigin(list) }
  }
  return found
}

function byOrigin(list: unknown): Tree {
  const entries = ORIGINS.map((origin) => [origin, at(list, origin)] as const)
  return Object.fromEntries(entries.filter(([, presets]) => Array.isArray(presets)))
}

/** Two trees as one: the second wins, lists are not mixed. */
export function merge<T extends Tree>(first: T, second: Tree): T {
  const merged: Tree = { ...first }
  for (const [name, value] of Object.entries(second)) {
    if (name === '__proto__') continue
    const before = Object.hasOwn(merged, name) ? merged[name] : undefined
    merged[name] = isTree(before) && isTree(value) ? merge(before, value) : value
  }
  return merged as T
}

/** The presets of a kind that are used, the later of two with one slug. */
export function usedPresets(settings: unknown, { path: [group, list], uses }: PresetKind): Tree[] {
  const bySlug = new Map<string, Tree>()
  for (const origin of ORIGINS) {
    if (origin === 'default' && uses !== undefined && at(settings, group, uses) === false) continue
    const presets = at(settings, group, list, origin)
    if (!Array.isArray(presets)) continue
    for (const preset of presets as unknown[]) {
      const slug = isTree(preset) ? preset['slug'] : undefined
      if (typeof slug === 'string' || typeof slug === 'number') bySlug.set(String(slug), preset as Tree)
    }
  }
  return [...bySlug.values()]
}

/** Merged styles in the form of a file: presets are lists, whichever they come from. */
export function withListedPresets(json: StylesJson): StylesJson {
  const listed = (settings: Tree) => {
    const found = { ...settings }
    for (const kind of PRESETS) {
      const [group, list] = kind.path
      if (at(settings, group, list) !== undefined)
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

/** A tree in which `var:preset|color|base` is written as CSS: `var(--MARK--preset--color--base)`. */
export function withVariables<T>(value: T, mark: string): T {
  if (typeof value === 'string') {
    if (!value.startsWith('var:')) return value
    return `var(--${mark}--${value.slice(4).split('|').map(kebab).join('--')})` as T
  }
  if (Array.isArray(value)) return value.map((item: unknown) => withVariables(item, mark)) as T
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withVariables(part, mark)])) as T
}

/** A name as it stands in classes and variables: `primaryDark2` is `primary-dark-2`. */
export function kebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([a-zA-Z])(\d)/g, '$1-$2')
    .replaceAll(/(\d)([a-zA-Z])/g, '$1-$2')
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase()
}
