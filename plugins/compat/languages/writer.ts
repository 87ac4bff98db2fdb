import { RequestCache, type PluginContext } from '../../public.ts'
import { errors } from './errors.ts'
import {
  idsIn,
  LANGUAGE,
  POSITIONS_OPTION,
  TERM_GROUPS,
  TERM_LANGUAGE,
  type Language,
  type Languages,
  type Translations,
} from './languages.ts'
import { knownLocale } from './locales.ts'
import { changeSettings } from './options.ts'
import { writeMap } from './serialized.ts'

/** Fields of a language that a request sets. */
export interface LanguageChange {
  readonly name?: string
  readonly slug?: string
  readonly locale?: string
  readonly is_rtl?: boolean
  readonly term_group?: number
  readonly flag_code?: string
}

/** Creates, changes and deletes languages, and the groups of terms. */
export class LanguageWriter {
  readonly #plugin: PluginContext
  readonly #languages: Languages

  constructor(plugin: PluginContext, languages: Languages) {
    this.#plugin = plugin
    this.#languages = languages
  }

  /**
   * Creates a language. Without a name or a code, the locale decides about name, code, direction and flag.
   * @throws pll_non_unique_slug, pll_invalid_name
   */
  async create(change: LanguageChange & { locale: string }): Promise<Language> {
    const isComplete = change.name !== undefined && change.slug !== undefined
    const known = isComplete ? null : knownLocale(change.locale)
    const name = change.name ?? known?.name
    const slug = change.slug ?? known?.slug
    if (name === undefined || slug === undefined) throw errors.pll_invalid_name()
    const { terms, transactions } = this.#plugin.services
    return transactions.inTurn(async () => {
      if ((await this.#languages.find(slug)) !== undefined) throw errors.pll_non_unique_slug()
      const description = writeMap({
        locale: change.locale,
        rtl: change.is_rtl ?? known?.isRtl ?? false,
        flag_code: change.flag_code ?? known?.flag ?? '',
      })
      const isFirst = (await this.#languages.all()).length === 0
      await terms.create({ taxonomy: LANGUAGE, name, slug, description })
      await terms.create({ taxonomy: TERM_LANGUAGE, name, slug: `pll_${slug}` })
      await this.#setPosition(slug, change.term_group ?? 0)
      if (isFirst) await changeSettings(this.#plugin, { default_lang: slug })
      return (await this.#languages.find(slug))!
    })
  }

  /** @throws pll_non_unique_slug */
  async update(before: Language, change: LanguageChange): Promise<Language> {
    const { terms, transactions } = this.#plugin.services
    const slug = change.slug ?? before.slug
    return transactions.inTurn(async () => {
      const other = await this.#languages.find(slug)
      if (other !== undefined && other.term.id !== before.term.id) throw errors.pll_non_unique_slug()
      const description = writeMap({
        locale: change.locale ?? before.locale,
        rtl: change.is_rtl ?? before.isRtl,
        flag_code: change.flag_code ?? before.flag,
      })
      const name = change.name ?? before.name
      await terms.update(before.term.id, { name, slug, description })
      if (before.termOfTerms > 0) await terms.update(before.termOfTerms, { name, slug: `pll_${slug}` })
      if (slug !== before.slug) await this.#renameCode(before.slug, slug)
      if (change.term_group !== undefined || slug !== before.slug)
        await this.#setPosition(slug, change.term_group ?? before.position)
      return (await this.#languages.find(slug))!
    })
  }

  /** Deletes a language. Its posts and terms remain, without a language. */
  async delete({ slug, term, termOfTerms }: Language): Promise<void> {
    const { terms, transactions } = this.#plugin.services
    await transactions.inTurn(async () => {
      await terms.delete(term.id)
      if (termOfTerms > 0) await terms.delete(termOfTerms)
      await this.#renameCode(slug, null)
      const left = await this.#languages.default()
      await changeSettings(this.#plugin, { default_lang: left?.slug ?? '' })
    })
  }

  /** Sets the language of a term, and removes it from translations in the same language. */
  async setTerm(id: number, language: Language): Promise<void> {
    const current = await this.#languages.ofTerm(id)
    if (current?.language === language.slug) return
    await this.linkTerms({ ...current?.translations, [language.slug]: id }, current?.language)
  }

  /**
   * Makes terms translations of each other. Former translations that are not among them stay in a group of their own.
   * @param former code under which one of them was in its group
   */
  async linkTerms(translations: Translations, former?: string): Promise<void> {
    const { terms } = this.#plugin.services
    const own = new Map(Object.entries(translations))
    if (former !== undefined && [...own.values()].filter((id) => id === own.get(former)).length > 1) own.delete(former)
    const groups = await this.#languages.termGroups()
    const linked = new Set(own.values())
    const concerned = new Set([...linked].flatMap((id) => groups.get(id)?.group ?? []))
    const scope = new RequestCache()
    const [kept] = concerned
    for (const group of concerned) {
      const left = without(idsIn((await terms.get(group, scope))?.description ?? ''), linked)
      if (group === kept) for (const [slug, id] of Object.entries(left)) await this.#createGroup({ [slug]: id })
      else if (Object.keys(left).length === 0) await terms.delete(group)
      else await terms.update(group, { description: writeMap(left) })
    }
    const map = Object.fromEntries(own)
    if (kept === undefined) await this.#createGroup(map)
    else await terms.update(kept, { description: writeMap(map) })
  }

  async #createGroup(translations: Translations): Promise<void> {
    const description = writeMap(translations)
    await this.#plugin.services.terms.create({ taxonomy: TERM_GROUPS, ...nameOfGroup(), description })
  }

  /** Removes a deleted term from its group. */
  async forgetTerm(id: number): Promise<void> {
    const group = await this.#languages.ofTerm(id)
    if (group === undefined) return
    const left = without(group.translations, new Set([id]))
    const { terms } = this.#plugin.services
    if (Object.keys(left).length === 0) await terms.delete(group.group)
    else await terms.update(group.group, { description: writeMap(left) })
  }

  /** Creates the translation of the default category, which new posts in the language get. */
  async translateDefaultCategory(language: Language): Promise<void> {
    const { terms } = this.#plugin.services
    const id = await terms.defaultOf('category')
    const category = id === 0 ? undefined : await terms.get(id, new RequestCache())
    const fallback = await this.#languages.default()
    if (category?.taxonomy !== 'category' || fallback === undefined || fallback.slug === language.slug) return
    const group = (await this.#languages.ofTerm(id))?.translations ?? { [fallback.slug]: id }
    if (group[language.slug] !== undefined) return
    const slug = `${category.slug}-${language.slug}`
    const created = await terms.create({ taxonomy: 'category', name: category.name, slug })
    await this.linkTerms({ ...group, [language.slug]: created.id })
  }

  async #setPosition(slug: string, position: number): Promise<void> {
    await this.#plugin.services.options.update<Record<string, number>>(POSITIONS_OPTION, (stored = {}) => ({
      ...stored,
      [slug]: position,
    }))
  }

  /** Renames the code of a language in groups of terms and posts, and in settings; null removes it. */
  async #renameCode(from: string, to: string | null): Promise<void> {
    const { terms } = this.#plugin.services
    const query = { taxonomy: [TERM_GROUPS, 'post_translations'] }
    for (const { id, description } of (await terms.query(query, new RequestCache())).items) {
      const { [from]: translated, ...others } = idsIn(description)
      if (translated === undefined) continue
      const map = to === null ? others : { ...others, [to]: translated }
      if (Object.keys(map).length === 0) await terms.delete(id)
      else await terms.update(id, { description: writeMap(map) })
    }
    const { default_lang: chosen } = await this.#languages.settings()
    if (to !== null && chosen === from) await changeSettings(this.#plugin, { default_lang: to })
  }
}

/** Returns translations without some IDs. */
export function without(translations: Translations, ids: ReadonlySet<number>): Translations {
  return Object.fromEntries(Object.entries(translations).filter(([, id]) => !ids.has(id)))
}

/** Returns a new name of a group, which nothing shows. */
export function nameOfGroup(): { name: string; slug: string } {
  const name = `pll_${crypto.randomUUID().replaceAll('-', '').slice(0, 13)}`
  return { name, slug: name }
}
