import {
  collectDependencies,
  dependsOn,
  RequestCache,
  VersionedCache,
  type PluginContext,
  type Term,
  type TermQuery,
} from '../../public.ts'
import { readSettings, type LanguageSettings } from './options.ts'
import { readMap } from './serialized.ts'

/** Taxonomies of languages and of groups of translations, as imports store them. */
export const LANGUAGE = 'language'
export const TERM_LANGUAGE = 'term_language'
export const POST_GROUPS = 'post_translations'
export const TERM_GROUPS = 'term_translations'
/** Option with the positions of languages by code; imports do not store them in terms. */
export const POSITIONS_OPTION = 'language_positions'

/** A language of the site. */
export interface Language {
  /** Code in URLs and requests: `en`. */
  readonly slug: string
  readonly name: string
  readonly locale: string
  readonly isRtl: boolean
  readonly flag: string
  readonly position: number
  /** Its term for posts, and its term for terms, which has the slug `pll_{code}`. */
  readonly term: Pick<Term, 'id' | 'count'>
  readonly termOfTerms: number
}

/** IDs of translations by language. */
export type Translations = Readonly<Record<string, number>>

/** The group of translations of a term. */
export interface TermGroup {
  readonly language: string
  readonly group: number
  readonly translations: Translations
}

interface Cached<T> {
  readonly value: T
  readonly tags: readonly string[]
}

/** Reads the languages of the site, and the languages of posts and terms. */
export class Languages {
  readonly #plugin: PluginContext
  /** Values that are read from all terms of some taxonomies, until one of them changes. */
  readonly #cache: VersionedCache<string, Cached<unknown>>

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.#cache = new VersionedCache<string, Cached<unknown>>(plugin.services.store.changes, {
      maxEntries: 4,
      tagsOf: ({ tags }) => tags,
    })
  }

  settings(): Promise<LanguageSettings> {
    return readSettings(this.#plugin)
  }

  /** Returns the languages in their order. */
  all(): Promise<readonly Language[]> {
    return this.#cached('languages', async () => {
      const [terms, positions] = await Promise.all([
        this.#terms({ taxonomy: [LANGUAGE, TERM_LANGUAGE], orderby: 'id', order: 'asc' }),
        this.#plugin.services.options.get<Readonly<Record<string, number>>>(POSITIONS_OPTION, {}),
      ])
      const ofTerms = new Map(terms.flatMap(({ taxonomy, slug, id }) => (taxonomy === LANGUAGE ? [] : [[slug, id]])))
      return terms
        .filter(({ taxonomy }) => taxonomy === LANGUAGE)
        .map((term, at) => languageOf(term, positions[term.slug] ?? at, ofTerms.get(`pll_${term.slug}`) ?? 0))
        .toSorted((a, b) => a.position - b.position || a.term.id - b.term.id)
    })
  }

  /** Returns the language with a code, in any case; undefined without one. */
  async find(slug: string): Promise<Language | undefined> {
    return (await this.all()).find((language) => language.slug === slug.toLowerCase())
  }

  /** Returns the default language: the chosen one, or the first; undefined if the site has no language. */
  async default(): Promise<Language | undefined> {
    const [all, { default_lang: chosen }] = await Promise.all([this.all(), this.settings()])
    return all.find(({ slug }) => slug === chosen) ?? all[0]
  }

  /** Names of the content types whose items have a language. */
  async types(): Promise<readonly string[]> {
    const { post_types: more, media_support: media } = await this.settings()
    const { contentTypes } = this.#plugin.services
    const names = ['post', 'page', ...(media ? ['attachment'] : []), ...more]
    return [...new Set(names)].filter((name) => contentTypes.get(name) !== undefined)
  }

  /** Names of the taxonomies whose terms have a language. */
  async taxonomies(): Promise<readonly string[]> {
    const { taxonomies: more } = await this.settings()
    const { taxonomies } = this.#plugin.services
    return [...new Set(['category', 'post_tag', ...more])].filter((name) => taxonomies.get(name) !== undefined)
  }

  /** Returns the language of a post; undefined if it has none. Reads the terms of all posts of a list together. */
  async ofPost(id: number, scope: RequestCache): Promise<Language | undefined> {
    const slug = (await this.#plugin.services.terms.ofPosts(scope).load(id)).get(LANGUAGE)?.[0]?.slug
    return slug === undefined ? undefined : this.find(slug)
  }

  /** Returns the translations of a post, including itself; empty if it has no language. */
  async translationsOfPost(id: number, scope: RequestCache): Promise<Translations> {
    const terms = await this.#plugin.services.terms.ofPosts(scope).load(id)
    const language = terms.get(LANGUAGE)?.[0]?.slug
    if (language === undefined) return {}
    return { ...idsIn(terms.get(POST_GROUPS)?.[0]?.description ?? ''), [language]: id }
  }

  /** Returns the language of a term with its translations; undefined if it has none. */
  async ofTerm(id: number): Promise<TermGroup | undefined> {
    return (await this.termGroups()).get(id)
  }

  /**
   * Returns the groups of translations by the IDs of their terms. They are read at the first use, and again after one of
   * them has changed. If a term is in two groups, the larger one counts: the other one is left from before a change.
   */
  termGroups(): Promise<ReadonlyMap<number, TermGroup>> {
    return this.#cached('term groups', async () => {
      const groups = await this.#terms({ taxonomy: TERM_GROUPS, orderby: 'id', order: 'asc' })
      const byTerm = new Map<number, TermGroup>()
      for (const { id: group, description } of groups) {
        const translations = idsIn(description)
        const size = Object.keys(translations).length
        for (const [language, id] of Object.entries(translations)) {
          const other = byTerm.get(id)
          if (other === undefined || Object.keys(other.translations).length < size)
            byTerm.set(id, { language, group, translations })
        }
      }
      return byTerm
    })
  }

  async #terms(query: TermQuery): Promise<readonly Term[]> {
    // A separate cache of the request: the terms are cached longer than a request.
    return (await this.#plugin.services.terms.query(query, new RequestCache())).items
  }

  async #cached<T>(key: string, read: () => Promise<T>): Promise<T> {
    const cached = this.#cache.get(key) as Cached<T> | undefined
    if (cached !== undefined) {
      dependsOn(...cached.tags)
      return cached.value
    }
    const started = this.#cache.begin()
    return collectDependencies(async (dependencies) => {
      const value = await read()
      // Reads in a transaction record no tags.
      if (dependencies.refusal === null) this.#cache.set(key, { value, tags: [...dependencies.tags] }, started)
      return value
    })
  }
}

/** Returns the IDs in the description of a group. */
export function idsIn(description: string): Translations {
  const entries = Object.entries(readMap(description)).flatMap(([slug, id]) =>
    Number.isSafeInteger(Number(id)) && Number(id) > 0 ? [[slug, Number(id)] as const] : [],
  )
  return Object.fromEntries(entries)
}

function languageOf(term: Term, position: number, termOfTerms: number): Language {
  const { locale, rtl, flag_code: flag } = readMap(term.description)
  return {
    slug: term.slug,
    name: term.name,
    locale: typeof locale === 'string' ? locale : term.slug,
    isRtl: rtl === true || rtl === 1,
    flag: typeof flag === 'string' ? flag : '',
    position,
    term: { id: term.id, count: term.count },
    termOfTerms,
  }
}
