import {
  ELEMENTS,
  valueAt,
  isTree,
  kebab,
  PRESETS,
  usedPresets,
  withVariables,
  type StylesJson,
  type Tree,
} from './theme-json.ts'
import { blockStyles } from './block-styles.ts'
import { safeCss, safeValue } from './safe-css.ts'

/** CSS properties by style path in `theme.json`. */
const PROPERTIES: readonly (readonly [path: readonly [string, ...string[]], property: string])[] = [
  [['color', 'text'], 'color'],
  [['color', 'background'], 'background-color'],
  [['color', 'gradient'], 'background'],
  [['background', 'gradient'], 'background'],
  [['background', 'backgroundPosition'], 'background-position'],
  [['background', 'backgroundRepeat'], 'background-repeat'],
  [['background', 'backgroundSize'], 'background-size'],
  [['background', 'backgroundAttachment'], 'background-attachment'],
  [['border', 'color'], 'border-color'],
  [['border', 'style'], 'border-style'],
  [['border', 'width'], 'border-width'],
  [['border', 'radius'], 'border-radius'],
  ...(['top', 'right', 'bottom', 'left'] as const).flatMap((side) => [
    [['border', side, 'color'], `border-${side}-color`] as const,
    [['border', side, 'style'], `border-${side}-style`] as const,
    [['border', side, 'width'], `border-${side}-width`] as const,
    [['border', 'width', side], `border-${side}-width`] as const,
    [['spacing', 'margin', side], `margin-${side}`] as const,
    [['spacing', 'padding', side], `padding-${side}`] as const,
  ]),
  [['border', 'radius', 'topLeft'], 'border-top-left-radius'],
  [['border', 'radius', 'topRight'], 'border-top-right-radius'],
  [['border', 'radius', 'bottomLeft'], 'border-bottom-left-radius'],
  [['border', 'radius', 'bottomRight'], 'border-bottom-right-radius'],
  [['dimensions', 'aspectRatio'], 'aspect-ratio'],
  [['dimensions', 'height'], 'height'],
  [['dimensions', 'minHeight'], 'min-height'],
  [['dimensions', 'minWidth'], 'min-width'],
  [['dimensions', 'width'], 'width'],
  [['outline', 'color'], 'outline-color'],
  [['outline', 'offset'], 'outline-offset'],
  [['outline', 'style'], 'outline-style'],
  [['outline', 'width'], 'outline-width'],
  [['shadow'], 'box-shadow'],
  [['spacing', 'margin'], 'margin'],
  [['spacing', 'padding'], 'padding'],
  [['typography', 'fontFamily'], 'font-family'],
  [['typography', 'fontSize'], 'font-size'],
  [['typography', 'fontStyle'], 'font-style'],
  [['typography', 'fontWeight'], 'font-weight'],
  [['typography', 'letterSpacing'], 'letter-spacing'],
  [['typography', 'lineHeight'], 'line-height'],
  [['typography', 'textAlign'], 'text-align'],
  [['typography', 'textColumns'], 'column-count'],
  [['typography', 'textDecoration'], 'text-decoration'],
  [['typography', 'textIndent'], 'text-indent'],
  [['typography', 'textTransform'], 'text-transform'],
  [['typography', 'writingMode'], 'writing-mode'],
]

/** Returns the selectors of elements. @param mark prefix of block classes */
const elementSelectors = (mark: string): Readonly<Record<string, string>> => ({
  link: `a:where(:not(.${mark}-element-button))`,
  heading: 'h1, h2, h3, h4, h5, h6',
  button: `.${mark}-element-button, .${mark}-block-button__link`,
  caption: `.${mark}-element-caption, figcaption`,
  cite: 'cite',
  textInput:
    'textarea, input:where([type="email"],[type="number"],[type="password"],[type="search"],[type="text"],[type="tel"],[type="url"])',
  select: 'select',
})

/** Returns the selectors of blocks whose styles apply to another element than the one with the block class. */
const blockSelectors = (mark: string): Readonly<Record<string, string>> => ({
  'core/button': `.${mark}-block-button .${mark}-block-button__link`,
  'core/icon': `.${mark}-block-icon svg`,
  'core/heading': 'h1, h2, h3, h4, h5, h6',
  'core/list': 'ul, ol',
  'core/paragraph': 'p',
})

/** Returns the style sheet for merged styles. @param mark prefix of variable names */
export function styleSheet(json: StylesJson, mark: string): string {
  const { settings = {}, styles = {} } = withVariables(json, mark)
  const sheet = new StyleSheet(mark, styles)
  sheet.faces(settings)
  sheet.variables(settings)
  sheet.root(settings)
  sheet.styles(':root :where(body)', styles)
  sheet.elements('', styles)
  sheet.layout()
  sheet.add(blockStyles(mark))
  for (const [name, block] of Object.entries((styles['blocks'] as Tree | undefined) ?? {})) {
    if (isTree(block)) sheet.block(name, block)
  }
  sheet.presetClasses(settings)
  // Last, so that errors in custom CSS cannot affect other rules.
  sheet.add(safeCss(styles['css']))
  return sheet.text
}

/** Returns the presets of a variation as a dark color scheme. @param mark prefix of variable names */
export function darkStyles({ settings = {} }: StylesJson, mark: string): string {
  const sheet = new StyleSheet(mark, {})
  sheet.variables({ color: settings['color'] })
  return `@media (prefers-color-scheme: dark) {\n:root { color-scheme: dark }\n${sheet.text}}\n`
}

class StyleSheet {
  readonly #mark: string
  readonly #elementSelectors: Readonly<Record<string, string>>
  readonly #blockSelectors: Readonly<Record<string, string>>
  readonly #styles: Tree
  readonly #rules: string[] = []

  constructor(mark: string, styles: Tree) {
    this.#mark = mark
    this.#elementSelectors = elementSelectors(mark)
    this.#blockSelectors = blockSelectors(mark)
    this.#styles = styles
  }

  get text(): string {
    return `${this.#rules.join('\n')}\n`
  }

  add(rule: string): void {
    if (rule !== '') this.#rules.push(rule)
  }

  #rule(selector: string, declarations: readonly string[]): void {
    if (declarations.length > 0) this.#rules.push(`${selector} { ${declarations.join('; ')} }`)
  }

  /** Adds the `@font-face` rules of font families that have file URLs. */
  faces(settings: Tree): void {
    const families = PRESETS.find(({ variable }) => variable === 'font-family')!
    for (const family of usedPresets(settings, families)) {
      const faces = family['fontFace']
      for (const face of Array.isArray(faces) ? (faces as unknown[]) : []) this.#face(face)
    }
  }

  #face(face: unknown): void {
    const sources = [valueAt(face, 'src')].flat().flatMap((source) => {
      const url = typeof source === 'string' && !/["'()\s]/.test(source) ? safeValue(`url("${source}")`) : null
      // `file:` URLs are relative to the theme folder, which is not public.
      return url === null || url.includes('file:') ? [] : [url]
    })
    const family = safeValue(valueAt(face, 'fontFamily'))
    if (sources.length === 0 || family === null) return
    const named = /^["']/.test(family) ? family : `"${family.replaceAll('"', '')}"`
    const others = [
      'fontStyle',
      'fontWeight',
      'fontStretch',
      'fontDisplay',
      'unicodeRange',
      'ascentOverride',
      'descentOverride',
    ]
    const declarations = others.flatMap((name) => this.#declaration(kebab(name), valueAt(face, name)))
    this.#rule('@font-face', [`font-family: ${named}`, `src: ${sources.join(', ')}`, ...declarations])
  }

  variables(settings: Tree): void {
    this.#rule(':root', this.#variablesOf(settings))
    for (const [name, block] of Object.entries((settings['blocks'] as Tree | undefined) ?? {}))
      this.#rule(this.#selectorOf(name), this.#variablesOf(block as Tree))
  }

  #variablesOf(settings: Tree): string[] {
    const presets = PRESETS.filter(({ variable }) => variable !== 'duotone').flatMap((kind) =>
      usedPresets(settings, kind).flatMap((preset) =>
        this.#declaration(
          `--${this.#mark}--preset--${kind.variable}--${kebab(String(preset['slug']))}`,
          preset[kind.value],
        ),
      ),
    )
    return [...presets, ...this.#custom(settings['custom'], `--${this.#mark}--custom`, 0)]
  }

  #custom(value: unknown, name: string, depth: number): string[] {
    if (!isTree(value)) return this.#declaration(name, value)
    if (depth > 8) return []
    return Object.entries(value).flatMap(([key, part]) => this.#custom(part, `${name}--${kebab(key)}`, depth + 1))
  }

  #declaration(property: string, value: unknown): string[] {
    const safe = safeValue(value)
    return safe === null ? [] : [`${property}: ${safe}`]
  }

  root(settings: Tree): void {
    const { contentSize, wideSize } = (settings['layout'] as Tree | undefined) ?? {}
    const gap = valueAt(this.#styles, 'spacing', 'blockGap')
    const prefix = `--${this.#mark}--style`
    this.#rule(':root', [
      ...this.#declaration(`${prefix}--global--content-size`, contentSize),
      ...this.#declaration(`${prefix}--global--wide-size`, wideSize),
      ...this.#declaration(`${prefix}--block-gap`, gap),
    ])
    this.#rule(':where(body)', ['margin: 0'])
  }

  /** Adds the declarations of a set of styles. */
  styles(selector: string, styles: Tree): void {
    const declarations = PROPERTIES.flatMap(([path, property]) =>
      this.#declaration(property, this.#resolved(valueAt(styles, ...path))),
    )
    const image = valueAt(styles, 'background', 'backgroundImage')
    const url = typeof image === 'string' ? image : valueAt(image, 'url')
    if (typeof url === 'string' && !/["'()\s]/.test(url)) {
      declarations.push(...this.#declaration('background-image', `url("${url}")`))
    } else declarations.push(...this.#declaration('background-image', url))
    this.#rule(selector, declarations)
  }

  /** Resolves a reference to another style: `{ ref: 'styles.color.text' }`. */
  #resolved(value: unknown): unknown {
    const ref = valueAt(value, 'ref')
    if (typeof ref !== 'string' || !ref.startsWith('styles.')) return value
    return valueAt(this.#styles, ...ref.split('.').slice(1, 8))
  }

  /** Adds the element styles of the root or of a block. @param scope selector of the block */
  elements(scope: string, styles: Tree): void {
    // Buttons follow links: a link that is also a button has the styles of a button.
    for (const name of ELEMENTS) {
      const element = valueAt(styles, 'elements', name)
      if (!isTree(element)) continue
      const elementSelector = this.#elementSelectors[name] ?? name
      const selector = (state = '') => rooted(inScope(scope, elementSelector), state)
      this.styles(selector(), element)
      for (const [state, part] of Object.entries(element)) {
        if (state.startsWith(':') && isTree(part)) this.styles(selector(state), part)
      }
    }
  }

  /** Returns the selector of a block: its class, or its elements. */
  #selectorOf(name: string): string {
    return this.#blockSelectors[name] ?? `.${this.#mark}-block-${name.replace(/^core\//, '').replace('/', '-')}`
  }

  block(name: string, styles: Tree, blockSelector = this.#selectorOf(name)): void {
    this.styles(rooted(blockSelector), styles)
    const gap = safeValue(this.#resolved(valueAt(styles, 'spacing', 'blockGap')))
    if (gap !== null) {
      this.#rule(rooted(blockSelector), [`gap: ${gap}`])
      this.#rule(`:root :where(${inScope(blockSelector, '> * + *')})`, [`margin-block-start: ${gap}`])
    }
    this.elements(blockSelector, styles)
    const css = safeCss(styles['css'])
    if (css !== '') this.add(`${rooted(blockSelector)} { ${css} }`)
    for (const [variation, part] of Object.entries((styles['variations'] as Tree | undefined) ?? {}))
      if (isTree(part)) this.block(name, part, variationOf(blockSelector, variation))
  }

  /** Adds the rules for layout classes. */
  layout(): void {
    const style = `--${this.#mark}--style`
    const gap = `var(${style}--block-gap, 24px)`
    this.add(
      `:where(.is-layout-flow, .is-layout-constrained) > * { margin-block: 0 }
:where(.is-layout-flow, .is-layout-constrained) > * + * { margin-block-start: ${gap} }
.is-layout-flow > .alignleft, .is-layout-constrained > .alignleft { float: left; margin-inline: 0 2em }
.is-layout-flow > .alignright, .is-layout-constrained > .alignright { float: right; margin-inline: 2em 0 }
.is-layout-flow > .aligncenter { margin-inline: auto }
.is-layout-constrained > :where(:not(.alignleft):not(.alignright):not(.alignfull)) { max-width: var(${style}--global--content-size); margin-inline: auto }
.is-layout-constrained > .alignwide { max-width: var(${style}--global--wide-size) }
.is-layout-flex { display: flex; flex-wrap: wrap; align-items: center; gap: ${gap} }
.is-layout-flex > :is(*, div) { margin: 0 }
.is-layout-flex.is-vertical { flex-direction: column; align-items: flex-start }
.is-layout-flex.is-nowrap { flex-wrap: nowrap }
.is-layout-flex.is-content-justification-center { justify-content: center }
.is-layout-flex.is-content-justification-right { justify-content: flex-end }
.is-layout-flex.is-content-justification-space-between { justify-content: space-between }
.is-layout-grid { display: grid; gap: ${gap} }
.is-layout-grid > :is(*, div) { margin: 0 }
.has-text-align-left { text-align: left }
.has-text-align-center { text-align: center }
.has-text-align-right { text-align: right }`,
    )
  }

  presetClasses(settings: Tree): void {
    for (const kind of PRESETS) {
      for (const preset of usedPresets(settings, kind)) {
        const slug = kebab(String(preset['slug']))
        if (safeValue(preset[kind.value]) === null) continue
        for (const [suffix, property] of kind.classes) {
          const value = `var(--${this.#mark}--preset--${kind.variable}--${slug})`
          this.#rule(`.has-${slug}-${suffix}`, [`${property}: ${value} !important`])
        }
      }
    }
  }
}

function variationOf(selector: string, variation: string): string {
  return mapSelectors(selector, (one) => {
    const [first = '', ...rest] = one.split(' ')
    return [`${first}.is-style-${variation}`, ...rest].join(' ')
  })
}

function inScope(scope: string, selector: string): string {
  return scope === ''
    ? selector
    : mapSelectors(scope, (outer) => mapSelectors(selector, (inner) => `${outer} ${inner}`))
}

/** Wraps a selector in `:where()` to keep specificity low, so that styles of single blocks win. */
function rooted(selector: string, state = ''): string {
  return `:root :where(${mapSelectors(selector, (one) => `${one}${state}`)})`
}

/** Applies a function to each selector in a list, ignoring commas inside parentheses. */
function mapSelectors(selectors: string, change: (one: string) => string): string {
  return selectors
    .split(/,\s+(?![^(]*\))/)
    .map(change)
    .join(', ')
}
