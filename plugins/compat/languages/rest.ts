import {
  type PluginContext,
  type PostChange,
  type RestRequest,
  type Term,
  type TermChange,
  type TermQuery,
} from '../../public.ts'
import { requestedLanguage } from './current.ts'
import { LANGUAGE, type Language, type Languages } from './languages.ts'
import { LANGUAGE_FACT } from './slugs.ts'
import type { LanguageWriter } from './writer.ts'

/** Limits lists of terms to a language, and sets the languages of posts and terms that requests write. */
export class RestLanguages {
  readonly #plugin: PluginContext
  readonly #languages: Languages
  readonly #writer: LanguageWriter

  constructor(plugin: PluginContext, languages: Languages, writer: LanguageWriter) {
    this.#plugin = plugin
    this.#languages = languages
    this.#writer = writer
  }

  /** Adds the taps for all types and taxonomies. They do nothing for those without languages. */
  tap(): void {
    const { hooks, services } = this.#plugin
    const name = 'languages'
    for (const { name: type } of services.contentTypes.all()) {
      hooks.rest_pre_insert
        .for(type)
        .tapPromise(name, async (change: unknown, request: RestRequest) =>
          this.#changed(type, change as PostChange, request),
        )
    }
    for (const { name: taxonomy } of services.taxonomies.all()) {
      hooks.rest_query
        .for(taxonomy)
        .tapPromise(name, async (query, request) => this.#limited(taxonomy, query as TermQuery, request))
      hooks.rest_pre_insert
        .for(taxonomy)
        .tapPromise(name, async (change: unknown, request: RestRequest) =>
          this.#withFact(taxonomy, change as TermChange, request),
        )
      hooks.rest_insert.for(taxonomy).tapPromise(name, async (term, request) => this.#setTerm(term as Term, request))
    }
    hooks.before_delete_term.tapPromise(name, (term) => this.#writer.forgetTerm(term.id))
  }

  /** Limits a list of terms to the language that a request names. */
  async #limited(taxonomy: string, query: TermQuery, request: RestRequest): Promise<TermQuery> {
    const language = await requestedLanguage(this.#languages, request)
    if (language === undefined || !(await this.#languages.taxonomies()).includes(taxonomy)) return query
    const groups = await this.#languages.termGroups()
    const ids = [...groups].flatMap(([id, group]) => (group.language === language.slug ? [id] : []))
    const { include = [] } = query
    const own = include.length === 0 ? ids : include.filter((id) => ids.includes(id))
    // An empty list would mean no limit; no term has the ID 0.
    return { ...query, include: own.length === 0 ? [0] : own }
  }

  /** Sets the language of a post that a request writes. New posts have the default language. */
  async #changed(type: string, change: PostChange, request: RestRequest): Promise<PostChange> {
    if (!(await this.#languages.types()).includes(type)) return change
    const id = Number(request.captures['id'] ?? 0)
    const language = await this.#requestedFor(request)
    if (language === undefined) return change
    const terms = new Map(change.terms ?? [])
    terms.set(LANGUAGE, [language.term.id])
    if (id === 0 && (terms.get('category') ?? []).length === 0) await this.#addDefaultCategory(type, terms, language)
    return { ...change, terms }
  }

  /** New posts without a category get the translation of the default category. */
  async #addDefaultCategory(type: string, terms: Map<string, readonly number[]>, language: Language): Promise<void> {
    const { taxonomies, terms: service } = this.#plugin.services
    if (!taxonomies.ofType(type).some(({ name }) => name === 'category')) return
    const group = await this.#languages.ofTerm(await service.defaultOf('category'))
    const translated = group?.translations[language.slug]
    if (translated !== undefined) terms.set('category', [translated])
  }

  /** Notes the language of a term that a request writes, for the slug of the term. */
  async #withFact(taxonomy: string, change: TermChange, request: RestRequest): Promise<TermChange> {
    if (!(await this.#languages.taxonomies()).includes(taxonomy)) return change
    const language = await this.#requestedFor(request)
    return language === undefined ? change : { ...change, facts: { ...change.facts, [LANGUAGE_FACT]: language.slug } }
  }

  /** Returns the language that a request sets: the named one, or the default language for a new item. */
  async #requestedFor(request: RestRequest): Promise<Language | undefined> {
    const isNew = Number(request.captures['id'] ?? 0) === 0
    return (await requestedLanguage(this.#languages, request)) ?? (isNew ? this.#languages.default() : undefined)
  }

  async #setTerm(term: Term, request: RestRequest): Promise<void> {
    if (!(await this.#languages.taxonomies()).includes(term.taxonomy)) return
    const language = await this.#requestedFor(request)
    if (language !== undefined) await this.#writer.setTerm(term.id, language)
  }
}
