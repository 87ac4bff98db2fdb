import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import type { Post, PostTexts, PostWrite } from '../../content/posts/index.ts'
import type { Words } from '../../foundation/translations/index.ts'
import {
  ensureThemeTerm,
  themeTerm,
  translateMarkup,
  type Theme,
  type ThemeTemplate,
  NO_AREA,
  TEMPLATE_TYPES,
} from '../themes/index.ts'
import { firstFreeSlug, slugify } from '../../resources/index.ts'
import { errors } from './errors.ts'
import { templateHierarchy, type Lookup } from './hierarchy.ts'
import { withTheme } from './markup.ts'

/** Templates render whole pages; template parts are included in several templates. */
export type TemplateKind = 'template' | 'template_part'

/** A template or template part: a file of the theme, or a stored version. */
export interface Template {
  /** Theme and slug: `plain//single`. */
  readonly id: string
  readonly slug: string
  /** Slug of the theme. */
  readonly theme: string
  readonly kind: TemplateKind
  /** Block markup. */
  readonly content: string
  readonly title: string
  readonly description: string
  readonly status: string
  /** `custom` if it is stored, `theme` if it is a file of the theme. */
  readonly source: 'custom' | 'theme'
  /** Origin of a stored template. */
  readonly origin: string | null
  /** The stored post; null for a file of the theme. */
  readonly post: Post | null
  readonly hasThemeFile: boolean
  /** Whether users select it for single posts, instead of it being applied to all content of a kind. */
  readonly isCustom: boolean
  /** Content types it can be selected for; undefined for all. */
  readonly postTypes?: readonly string[]
  /** Area of a template part. */
  readonly area: string
}

/** Fields of a new or changed template. */
export interface TemplateChange {
  slug?: string
  content?: string
  title?: string
  description?: string
  /** ID of a user. */
  author?: number
  area?: string
  /** Whether the slug applies to all content of a kind, as suggested by an editor. */
  suggested?: boolean
}

/** Meta key for the origin of stored templates. */
export const ORIGIN_KEY = 'origin'

/**
 * Reads and changes the templates and template parts of the active theme. Stored versions override files of the theme.
 */
export class Templates {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    for (const key of [ORIGIN_KEY, this.#suggestedKey])
      plugin.services.meta.register('post', key, { type: 'string', single: true })
  }

  get #suggestedKey(): string {
    return `is_${this.#plugin.branding.word}_suggestion`
  }

  /**
   * Returns a template of the active theme or of the theme that pages use, or undefined.
   * @param id theme and slug: `plain//single`
   * @param scope cache of the request: templates are read once per scope
   */
  async get(id: string, kind: TemplateKind, scope = new RequestCache()): Promise<Template | undefined> {
    const theme = await this.#plugin.services.themes.inUse(id.slice(0, id.indexOf('//')))
    return theme && (await this.#byId(kind, scope, theme)).get(id)
  }

  /** Returns all templates of the active theme: stored ones first, newest first, then files of the theme by name. */
  async all(kind: TemplateKind, scope = new RequestCache()): Promise<Template[]> {
    return [...(await this.#byId(kind, scope)).values()]
  }

  /** Returns the slugs of templates that can be used for a slug, most specific first, starting with the slug itself. */
  hierarchy(lookup: Lookup): string[] {
    const { contentTypes, taxonomies } = this.#plugin.services
    return templateHierarchy(
      lookup,
      [...contentTypes.all(), ...taxonomies.all()].map(({ name }) => name),
    )
  }

  /** Returns the first template that exists in the active theme for one of the slugs. */
  async firstOf(
    slugs: readonly string[],
    kind: TemplateKind,
    scope = new RequestCache(),
  ): Promise<Template | undefined> {
    return firstWith(slugs, await this.all(kind, scope))
  }

  /** Returns the first template for one of the slugs in the theme that pages use. */
  async firstShown(slugs: readonly string[], scope: RequestCache): Promise<Template | undefined> {
    const theme = await this.#plugin.services.themes.shown()
    return firstWith(slugs, [...(await this.#byId('template', scope, theme)).values()])
  }

  /** Returns a template part of the theme that pages use, or undefined. */
  async shownPart(id: string, scope: RequestCache): Promise<Template | undefined> {
    const theme = await this.#plugin.services.themes.shown()
    return (await this.#byId('template_part', scope, theme)).get(id)
  }

  async #byId(kind: TemplateKind, scope: RequestCache, of?: Theme): Promise<ReadonlyMap<string, Template>> {
    const theme = of ?? (await this.#plugin.services.themes.active())
    return scope.getLater(`templates: ${kind} of ${theme.stylesheet}`, () => this.#read(kind, scope, theme))
  }

  async #read(kind: TemplateKind, scope: RequestCache, theme: Theme): Promise<Map<string, Template>> {
    const files = await this.#files(theme, kind)
    const stored = await this.#stored(theme, kind, scope)
    const words = await this.#plugin.services.translations.site()
    // Stored slugs are in lower case, names of files can have other letters.
    const filesBySlug = new Map([...files.values()].map((file) => [slugify(file.slug), file]))
    const all = new Map<string, Template>()
    for (const post of stored) {
      const file = files.get(post.slug) ?? filesBySlug.get(post.slug)
      const template = await this.#ofPost(post, theme, file, kind, scope)
      // The newest of several templates with the same slug wins.
      if (!all.has(template.id)) all.set(template.id, template)
    }
    for (const file of files.values()) {
      const template = ofFile(file, theme, { kind, words, mark: this.#plugin.branding.blockMark })
      if (!all.has(template.id)) all.set(template.id, template)
    }
    return all
  }

  async #files(theme: Theme, kind: TemplateKind): Promise<ReadonlyMap<string, ThemeTemplate>> {
    const { templates, parts } = await this.#plugin.services.themes.files(theme.stylesheet)
    return kind === 'template' ? templates : parts
  }

  async #stored({ stylesheet }: Theme, kind: TemplateKind, scope: RequestCache): Promise<Post[]> {
    const { branding, services } = this.#plugin
    const taxonomy = branding.typeName('theme')
    const term = await themeTerm(this.#plugin, stylesheet, scope)
    if (term === undefined) return []
    const { items } = await services.posts.query(
      {
        types: [branding.typeName(kind)],
        statuses: ['publish'],
        terms: [{ taxonomy, terms: [term], operator: 'in' }],
        readScope: null,
        limit: MAX_STORED_TEMPLATES,
      },
      scope,
    )
    const ids = items.map(({ id }) => id)
    await Promise.all([
      services.meta.loadAll('post', ids, scope),
      kind === 'template_part' ? services.terms.ofPosts(scope).loadAll(ids) : undefined,
    ])
    return items
  }

  async #ofPost(
    post: Post,
    theme: Theme,
    file: ThemeTemplate | undefined,
    kind: TemplateKind,
    scope: RequestCache,
  ): Promise<Template> {
    const { branding, services } = this.#plugin
    const origin = await services.meta.single('post', post.id, ORIGIN_KEY, scope)
    const suggested = await services.meta.single('post', post.id, this.#suggestedKey, scope)
    const areas = kind === 'template' ? undefined : await services.terms.ofPosts(scope).load(post.id)
    const slug = file?.slug ?? post.slug
    return {
      id: `${theme.stylesheet}//${slug}`,
      slug,
      theme: theme.stylesheet,
      kind,
      content: post.content,
      title: post.title,
      description: post.excerpt,
      status: post.status,
      source: 'custom',
      origin: typeof origin === 'string' && origin !== '' ? origin : null,
      post,
      hasThemeFile: file !== undefined,
      isCustom: !isStandard(slug) && (suggested === undefined || suggested === ''),
      ...(file?.postTypes && { postTypes: file.postTypes }),
      area: areas?.get(branding.typeName('template_part_area'))?.[0]?.slug ?? NO_AREA,
    }
  }

  /**
   * Stores a new template of a theme, by default of the active one. If the slug is taken by another stored template, a
   * number is appended.
   * @throws rest_template_insert_error
   */
  async create(
    { theme: ofTheme, ...input }: TemplateChange & { slug: string; theme?: string | undefined },
    kind: TemplateKind,
    write: PostWrite,
  ): Promise<Template> {
    const { themes } = this.#plugin.services
    const theme = ofTheme === undefined ? await themes.active() : await themes.inUse(ofTheme)
    if (theme === undefined) throw errors.rest_template_insert_error()
    const slug = this.#plugin.services.permalinks.slugify(input.slug)
    if (slug === '') throw errors.rest_template_insert_error()
    return this.#inTurn(write, async () => {
      const stored = [...(await this.#byId(kind, write.scope, theme)).values()].filter(({ post }) => post !== null)
      const free = await firstFreeSlug(slug, async (slugs) => {
        const candidates = new Set(slugs)
        return new Set(stored.flatMap((one) => (candidates.has(one.slug) ? [one.slug] : [])))
      })
      return this.#insert({ ...input, slug: free, theme: theme.stylesheet }, kind, null, write)
    })
  }

  /** Serializes writes that depend on stored templates, and clears the cache so that they read current data. */
  #inTurn<T>({ scope }: PostWrite, work: () => Promise<T>): Promise<T> {
    return this.#plugin.services.store.inTurn(() => {
      scope.clear()
      return work()
    })
  }

  /** Updates a stored template, or stores a changed copy of the theme's file. */
  async update(template: Template, change: TemplateChange, write: PostWrite): Promise<Template> {
    const { kind, post, slug, id } = template
    if (post === null) {
      return this.#inTurn(write, async () => {
        // Another request may have stored a copy in the meantime.
        const now = await this.get(id, kind, write.scope)
        if (now !== undefined && now.post !== null) return this.update(now, change, write)
        const { content, title, description, area } = template
        const { theme } = template
        // The copy would replace another file, whose name differs only in the case of letters.
        const other = (await this.all(kind, write.scope)).find((one) => one.slug === slugify(slug))
        if (other !== undefined && other.slug !== slug) throw errors.rest_template_insert_error()
        return this.#insert({ content, title, description, area, ...change, slug, theme }, kind, 'theme', write)
      })
    }
    const terms = change.area === undefined ? undefined : await this.#areaTerms(kind, change.area, write.scope)
    const row = { ...textsOf(change), ...(change.author !== undefined && { author_id: change.author }) }
    await this.#plugin.services.posts.update(post.id, { ...row, ...(terms && { terms }) }, write)
    return this.#fresh(id, kind, write.scope)
  }

  /** Deletes a stored template, which restores the file of the theme. @throws rest_invalid_template */
  async delete({ post }: Template, write: PostWrite): Promise<void> {
    if (post === null) throw errors.rest_invalid_template()
    await this.#plugin.services.posts.remove(post.id, write)
  }

  async #insert(
    { slug, theme: stylesheet, author, area, suggested, ...texts }: TemplateChange & { slug: string; theme: string },
    kind: TemplateKind,
    origin: string | null,
    write: PostWrite,
  ): Promise<Template> {
    const { branding, services } = this.#plugin
    const theme = await ensureThemeTerm(this.#plugin, stylesheet, write.scope)
    const terms = new Map([
      [branding.typeName('theme'), [theme]],
      ...(await this.#areaTerms(kind, area ?? NO_AREA, write.scope)),
    ])
    const row = { type: branding.typeName(kind), status: 'publish', slug, title: '', ...textsOf(texts), terms }
    const post = await services.posts.create({ ...row, ...(author !== undefined && { author_id: author }) }, write)
    const meta = { [ORIGIN_KEY]: origin, [this.#suggestedKey]: suggested === true ? '1' : null }
    const rows = Object.entries(meta).flatMap(([key, value]) => (value === null ? [] : [[key, [value]] as const]))
    if (rows.length > 0) await services.meta.writeAll('post', post.id, Object.fromEntries(rows), write.scope)
    return this.#fresh(`${stylesheet}//${slug}`, kind, write.scope)
  }

  async #fresh(id: string, kind: TemplateKind, scope: RequestCache): Promise<Template> {
    scope.clear()
    const template = await this.get(id, kind, scope)
    if (template === undefined) throw errors.rest_template_insert_error()
    return template
  }

  /** Returns the area term of a template part; templates have no area. */
  async #areaTerms(kind: TemplateKind, area: string, scope: RequestCache): Promise<Map<string, number[]>> {
    if (kind === 'template') return new Map()
    const taxonomy = this.#plugin.branding.typeName('template_part_area')
    return new Map([[taxonomy, [await this.#termId(taxonomy, area, scope)]]])
  }

  /** Returns the ID of a term by its slug; creates the term if necessary. */
  async #termId(taxonomy: string, name: string, scope: RequestCache): Promise<number> {
    const { terms } = this.#plugin.services
    const find = async () => (await terms.query({ taxonomy, slug: [name], limit: 1 }, scope)).items[0]?.id
    const found = await find()
    if (found !== undefined) return found
    try {
      return (await terms.create({ taxonomy, name, slug: name })).id
    } catch (cause) {
      // Another request may have created it in the meantime.
      const existing = await find()
      if (existing === undefined) throw cause
      return existing
    }
  }
}

function firstWith(slugs: readonly string[], all: readonly Template[]): Template | undefined {
  return slugs.flatMap((slug) => all.find((one) => one.slug === slug && one.content !== '') ?? [])[0]
}

/** Maximum stored templates of one kind that are read for a theme. */
const MAX_STORED_TEMPLATES = 1_000

const STANDARD = new Map(TEMPLATE_TYPES.map((type) => [type.slug, type]))
const isStandard = (slug: string) => STANDARD.has(slug)

interface FileContext {
  readonly kind: TemplateKind
  readonly words: Words
  readonly mark: string
}

/** Returns the template of a file, with its texts in the language of the site. */
function ofFile(file: ThemeTemplate, { stylesheet }: Theme, { kind, words, mark }: FileContext): Template {
  const { slug, title, description } = file
  const standard = kind === 'template' ? STANDARD.get(slug) : undefined
  return {
    id: `${stylesheet}//${slug}`,
    slug,
    theme: stylesheet,
    kind,
    content: translateMarkup(withTheme(file.content, stylesheet, mark), words),
    title: title !== undefined ? words.t(`theme|${title}`) : standard ? words.t(`template|${standard.title}`) : slug,
    description:
      description !== undefined
        ? words.t(`theme|${description}`)
        : standard
          ? words.t(`template|${standard.description}`)
          : '',
    status: 'publish',
    source: 'theme',
    origin: null,
    post: null,
    hasThemeFile: true,
    isCustom: standard === undefined,
    ...(file.postTypes && { postTypes: file.postTypes }),
    area: file.area ?? NO_AREA,
  }
}

function textsOf({ content, title, description }: TemplateChange): Partial<PostTexts> {
  return {
    ...(content !== undefined && { content }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { excerpt: description }),
  }
}
