import {
  RequestCache,
  type Arguments,
  type CurrentUser,
  type PluginContext,
  type PostQuery,
  type PropertySchema,
  type RestRequest,
} from '../../public.ts'
import { PARAMETER } from './current.ts'
import { errors } from './errors.ts'
import { LANGUAGE, type Languages, type Translations } from './languages.ts'
import { isRecord } from './options.ts'
import type { PostGroups } from './post-groups.ts'
import type { LanguageWriter } from './writer.ts'

/** Maximum number of translations in a request. */
const MAX_TRANSLATIONS = 200
const SHOWN = ['view', 'edit', 'embed'] as const
const LANG: PropertySchema = { description: 'Code of the language.', type: 'string', context: SHOWN }
const TRANSLATIONS: PropertySchema = {
  description: 'IDs of the translations by language, with the item itself.',
  type: 'object',
  additionalProperties: { type: 'integer' },
  context: SHOWN,
}
const ARGUMENT: Arguments = {
  [PARAMETER]: { description: 'Limits the list to a language, or to several, separated by commas.', type: 'string' },
}

/** Shows and writes languages and translations as fields, and limits lists of posts to languages. */
export class LanguageFields {
  readonly #plugin: PluginContext
  readonly #languages: Languages
  readonly #writer: LanguageWriter
  readonly #groups: PostGroups

  constructor(plugin: PluginContext, languages: Languages, writer: LanguageWriter, groups: PostGroups) {
    this.#plugin = plugin
    this.#languages = languages
    this.#writer = writer
    this.#groups = groups
  }

  /** Registers the fields of all types and taxonomies that have languages when the server starts. */
  async register(): Promise<void> {
    const { hooks, services } = this.#plugin
    const [types, taxonomies] = await Promise.all([this.#languages.types(), this.#languages.taxonomies()])
    for (const type of types) {
      this.#addFields(type, {
        languageOf: async (id, scope) => (await this.#languages.ofPost(id, scope))?.slug,
        translationsOf: (id, request) => this.#readablePosts(id, request),
        link: (id, given, request) => this.linkPosts(id, type, given, request.user),
      })
      hooks.rest_query
        .for(type)
        .tapPromise('languages', async (query: unknown, request: RestRequest) =>
          this.#limited(query as PostQuery, request),
        )
      hooks.rest_collection_params.for(type).tap('languages', (params) => ({ ...params, ...ARGUMENT }))
    }
    for (const name of taxonomies) {
      const { objectType } = services.taxonomies.get(name)!
      this.#addFields(objectType, {
        languageOf: async (id) => (await this.#languages.ofTerm(id))?.language,
        translationsOf: async (id) => (await this.#languages.ofTerm(id))?.translations ?? {},
        link: (id, given) => this.linkTerms(id, name, given),
      })
      hooks.rest_collection_params.for(name).tap('languages', (params) => ({ ...params, ...ARGUMENT }))
    }
  }

  #addFields(objectType: string, { languageOf, translationsOf, link }: FieldSource): void {
    const { extraFields } = this.#plugin.services
    extraFields.register(objectType, 'lang', {
      get_callback: async ({ id }, _name, { scope }) => (await languageOf(Number(id), scope)) ?? '',
      schema: LANG,
    })
    extraFields.register(objectType, 'translations', {
      get_callback: ({ id }, _name, request) => translationsOf(Number(id), request),
      update_callback: async (value, item: { id: number }, _name, request) => {
        const given = translationsIn(value)
        const language = await languageOf(item.id, new RequestCache())
        if (language === undefined) throw errors.pll_invalid_translations(Object.keys(given)[0] ?? '')
        await link(item.id, { ...given, [language]: item.id }, request)
      },
      schema: TRANSLATIONS,
    })
  }

  /** Returns the translations of a post that the requesting user may read. */
  async #readablePosts(id: number, { scope, user }: RestRequest): Promise<Translations> {
    const { posts } = this.#plugin.services
    const all = Object.entries(await this.#languages.translationsOfPost(id, scope))
    const readable = await Promise.all(
      all.map(async ([, translation]) => {
        const post = await posts.get(translation, scope)
        return post !== undefined && posts.isReadable(post, user, scope)
      }),
    )
    return Object.fromEntries(all.filter((_, at) => readable[at]))
  }

  /** Limits a list of posts to the languages that a request names; an unknown code means the default language. */
  async #limited(query: PostQuery, request: RestRequest): Promise<PostQuery> {
    const value = request.get(PARAMETER)
    if (typeof value !== 'string' || value === '') return query
    const all = await this.#languages.all()
    const codes = new Set(value.toLowerCase().split(',', MAX_TRANSLATIONS))
    const named = all.filter(({ slug }) => codes.has(slug))
    const fallback = await this.#languages.default()
    const chosen = named.length > 0 || fallback === undefined ? named : [fallback]
    if (chosen.length === 0) return query
    const terms = chosen.map(({ term }) => term.id)
    return { ...query, terms: [...(query.terms ?? []), { taxonomy: LANGUAGE, terms, operator: 'in' }] }
  }

  /**
   * Makes posts translations of each other.
   * @throws pll_invalid_translations for a post of another type or language, or that the user may not edit
   */
  async linkPosts(id: number, type: string, translations: Translations, user: CurrentUser): Promise<void> {
    const { posts } = this.#plugin.services
    const scope = new RequestCache()
    for (const [slug, translation] of Object.entries(translations)) {
      if (translation === id) continue
      const post = await posts.get(translation, scope)
      const isOfType = post?.type === type && (await posts.isEditable(post, user, scope))
      if (!isOfType || (await this.#languages.ofPost(translation, scope))?.slug !== slug)
        throw errors.pll_invalid_translations(slug)
    }
    await this.#groups.link(translations)
  }

  /** Makes terms translations of each other. @throws pll_invalid_translations */
  async linkTerms(id: number, taxonomy: string, translations: Translations): Promise<void> {
    const { terms } = this.#plugin.services
    const scope = new RequestCache()
    for (const [slug, translation] of Object.entries(translations)) {
      if (translation === id) continue
      const isOfTaxonomy = (await terms.get(translation, scope))?.taxonomy === taxonomy
      if (!isOfTaxonomy || (await this.#languages.ofTerm(translation))?.language !== slug)
        throw errors.pll_invalid_translations(slug)
    }
    await this.#writer.linkTerms(translations)
  }
}

/** Reads and writes the language and the translations of one kind of item. */
interface FieldSource {
  readonly languageOf: (id: number, scope: RequestCache) => Promise<string | undefined>
  readonly translationsOf: (id: number, request: RestRequest) => Promise<Translations>
  /** @param translations with the item itself */
  readonly link: (id: number, translations: Translations, request: RestRequest) => Promise<void>
}

/** Returns the IDs in a request; 0 removes a translation. @throws pll_invalid_translations */
function translationsIn(value: unknown): Translations {
  const entries = isRecord(value) ? Object.entries(value).slice(0, MAX_TRANSLATIONS) : []
  return Object.fromEntries(
    entries.flatMap(([slug, id]) => {
      const number = Number(id)
      if (number === 0) return []
      if (!Number.isSafeInteger(number) || number < 0) throw errors.pll_invalid_translations(slug)
      return [[slug, number] as const]
    }),
  )
}
