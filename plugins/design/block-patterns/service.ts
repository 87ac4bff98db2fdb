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

/** The patterns of the active theme and of plugins. A plugin's patterns are removed together with it. */
export class BlockPatterns {
  readonly #patterns = new OwnedMap<BlockPattern>('block pattern')
  readonly #categories = new OwnedMap<PatternCategory>('pattern category')
  readonly #services: PluginContext['services']

  constructor({ services }: PluginContext) {
    this.#services = services
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
    return this.#patterns.get(name) ?? (await this.#themePatterns()).find((pattern) => pattern.name === name)
  }

  /** Returns all patterns, theme patterns first. A registered pattern replaces a theme pattern of the same name. */
  async all(): Promise<BlockPattern[]> {
    const registered = this.#patterns.values()
    const ofTheme = await this.#themePatterns()
    return [...ofTheme.filter(({ name }) => this.#patterns.get(name) === undefined), ...registered]
  }

  /** Returns all categories in order of registration. */
  categories(): PatternCategory[] {
    return this.#categories.values()
  }

  async #themePatterns(): Promise<BlockPattern[]> {
    const { themes, translations } = this.#services
    const { stylesheet } = await themes.shown()
    const { patterns } = await themes.files(stylesheet)
    const words = await translations.site()
    return patterns.map(({ slug, ...pattern }) => ({
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
