import { checkRegistration, shapeMistake } from '../../library/advice/index.ts'
import { OwnedMap, type PluginContext } from '../../../kernel/index.ts'
import { translateMarkup, type ThemePattern } from '../themes/index.ts'
import { CATEGORIES } from './categories.ts'
import { errors } from './errors.ts'

/** A group of blocks that writers insert together. */
export interface BlockPattern extends Omit<ThemePattern, 'slug'> {
  /** Name with the prefix of its theme or plugin: `garden/bed`. */
  readonly name: string
  /** Origin of a pattern that is not from the theme: `plugin`, `core`. */
  readonly source?: string
}

/** A category of block patterns. */
export interface PatternCategory {
  readonly name: string
  readonly label: string
  readonly description?: string
}

/** The patterns of the active theme, of this server and of plugins. A plugin's patterns are removed together with it. */
export class BlockPatterns {
  readonly #patterns = new OwnedMap<BlockPattern>('block pattern')
  readonly #categories = new OwnedMap<PatternCategory>('pattern category')
  readonly #services: PluginContext['services']
  readonly #hasBuiltIn: boolean

  /** @param hasBuiltIn whether themes without them get the patterns of the built-in default theme */
  constructor({ services }: PluginContext, hasBuiltIn: boolean) {
    this.#services = services
    this.#hasBuiltIn = hasBuiltIn
    for (const [name, category] of Object.entries(CATEGORIES)) this.registerCategory(name, category)
  }

  /** Registers a pattern, or replaces the one with the same name. @throws BLOCK_PATTERN_INVALID */
  register(name: string, pattern: Omit<BlockPattern, 'name'>): void {
    checkRegistration(
      () => patternMistake(name, pattern),
      (plugin, reason) => errors.BLOCK_PATTERN_INVALID(plugin, name, reason),
    )
    this.#patterns.set(name, { ...pattern, name })
  }

  /** Registers a category, or replaces the one with the same name. @throws PATTERN_CATEGORY_INVALID */
  registerCategory(name: string, category: Omit<PatternCategory, 'name'>): void {
    checkRegistration(
      () => categoryMistake(name, category),
      (plugin, reason) => errors.PATTERN_CATEGORY_INVALID(plugin, name, reason),
    )
    this.#categories.set(name, { ...category, name })
  }

  /** Returns a pattern by name. */
  async get(name: string): Promise<BlockPattern | undefined> {
    return this.#patterns.get(name) ?? (await this.#filePatterns()).find((pattern) => pattern.name === name)
  }

  /**
   * Returns all patterns: first the patterns of the theme, then the built-in ones, then the patterns of plugins. Patterns
   * of plugins replace others of the same name, and patterns of the theme replace built-in ones.
   */
  async all(): Promise<BlockPattern[]> {
    const registered = this.#patterns.values()
    const fromFiles = await this.#filePatterns()
    return [...fromFiles.filter(({ name }) => this.#patterns.get(name) === undefined), ...registered]
  }

  /** Returns all categories in order of registration. */
  categories(): PatternCategory[] {
    return this.#categories.values()
  }

  /** Reads the patterns of the theme and the built-in ones, in the language of the site. */
  async #filePatterns(): Promise<BlockPattern[]> {
    const { themes, translations } = this.#services
    const { stylesheet } = await themes.shown()
    const { patterns } = await themes.files(stylesheet)
    const names = new Set(patterns.map(({ slug }) => slug))
    const builtIn = this.#hasBuiltIn ? await themes.library.builtInPatterns() : []
    const words = await translations.site()
    return [...patterns, ...builtIn.filter(({ slug }) => !names.has(slug))].map(({ slug, ...pattern }) => ({
      ...pattern,
      name: slug,
      title: words.t(`theme|${pattern.title}`),
      ...(pattern.description !== undefined && { description: words.t(`theme|${pattern.description}`) }),
      content: translateMarkup(pattern.content, words),
    }))
  }
}

function patternMistake(name: unknown, pattern: Omit<BlockPattern, 'name'>): string | null {
  if (!isName(name)) return WRONG_NAME
  const mistake = shapeMistake<typeof pattern>(pattern, {
    title: 'text',
    content: 'text',
    description: 'text',
    viewportWidth: 'number',
    inserter: 'flag',
    categories: 'texts',
    keywords: 'texts',
    blockTypes: 'texts',
    postTypes: 'texts',
    templateTypes: 'texts',
    source: 'text',
  })
  const missingKey = (['title', 'content'] as const).find((key) => pattern[key] === undefined)
  if (mistake !== null) return `it ${mistake}`
  return missingKey === undefined ? null : `it has no ${missingKey}`
}

function categoryMistake(name: unknown, category: Omit<PatternCategory, 'name'>): string | null {
  if (!isName(name)) return WRONG_NAME
  const mistake = shapeMistake<typeof category>(category, { label: 'text', description: 'text' })
  if (mistake !== null) return `it ${mistake}`
  return category.label === undefined ? 'it has no label' : null
}

const WRONG_NAME = 'its name must consist of letters, digits, hyphens, underscores and slashes'
const isName = (name: unknown) => typeof name === 'string' && /^[\w-]+(?:\/[\w-]+)*$/.test(name)
