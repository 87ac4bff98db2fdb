import { html, RequestCache, type AdminView, type PageHtml, type PluginContext } from '../../public.ts'
import type { LanguageFields } from './fields.ts'
import { LANGUAGE, type Language, type Languages, type Translations } from './languages.ts'
import type { LanguageWriter } from './writer.ts'

type Item = Readonly<Record<string, unknown>>

/** Adds languages to the lists and forms of the admin. */
export class LanguageAdmin {
  readonly #plugin: PluginContext
  readonly #languages: Languages
  readonly #writer: LanguageWriter
  readonly #fields: LanguageFields
  /** The language and the translations of the items of a list. */
  readonly #shown = new WeakMap<Item, ItemLanguage>()

  constructor(plugin: PluginContext, languages: Languages, writer: LanguageWriter, fields: LanguageFields) {
    this.#plugin = plugin
    this.#languages = languages
    this.#writer = writer
    this.#fields = fields
  }

  /** Adds the page of languages, whose module is loaded at its first use. */
  addPage(): void {
    this.#plugin.services.admin.addPage({
      path: 'languages',
      title: 'Languages',
      capability: 'manage_options',
      menu: { position: 72 },
      load: () => import('./admin-page.ts'),
    })
  }

  /** Adds a column and a panel for each type and taxonomy with languages. */
  async addParts(): Promise<void> {
    const [types, taxonomies] = await Promise.all([this.#languages.types(), this.#languages.taxonomies()])
    for (const type of types)
      this.#addParts(type, {
        read: async (id, scope) => ({
          language: await this.#languages.ofPost(id, scope),
          translations: await this.#languages.translationsOfPost(id, scope),
        }),
        editUrl: (id) => this.#plugin.services.admin.editUrl(type, id),
        save: async (id, language, translations, view) => {
          const write = { user: view.user, scope: new RequestCache() }
          await this.#plugin.services.posts.setTerms(id, new Map([[LANGUAGE, [language.term.id]]]), write)
          await this.#fields.linkPosts(id, type, { ...translations, [language.slug]: id }, view.user)
        },
      })
    for (const taxonomy of taxonomies)
      this.#addParts(taxonomy, {
        read: async (id) => {
          const group = await this.#languages.ofTerm(id)
          const language = group === undefined ? undefined : await this.#languages.find(group.language)
          return { language, translations: group?.translations ?? {} }
        },
        editUrl: null,
        save: async (id, language, translations) => {
          await this.#writer.setTerm(id, language)
          await this.#fields.linkTerms(id, taxonomy, { ...translations, [language.slug]: id })
        },
      })
  }

  #addParts(place: string, parts: Parts): void {
    const { admin, transactions } = this.#plugin.services
    admin.addColumn(place, {
      name: 'language',
      label: 'Language',
      prepare: async (items, view) => {
        const read = async (item: Item) =>
          this.#shown.set(item, await parts.read(Number(item['id']), view.request.scope))
        await Promise.all(items.map(read))
      },
      cell: (item) => cellOf(this.#shown.get(item), parts.editUrl),
    })
    admin.addPanel(place, {
      name: 'language',
      title: 'Language',
      show: async (view, item) => {
        const id = Number(item?.['id'] ?? 0)
        const shown = id === 0 ? null : await parts.read(id, view.request.scope)
        return panelOf(view, shown, await this.#languages.all(), await this.#languages.default())
      },
      save: async (_view, item, form) => {
        const language = await this.#languages.find(textOf(form['item_language']))
        if (language === undefined) return
        const entries = (await this.#languages.all()).flatMap(({ slug }) => {
          const id = Number(textOf(form[`translation_${slug}`]))
          return slug !== language.slug && Number.isSafeInteger(id) && id > 0 ? [[slug, id] as const] : []
        })
        const translations: Translations = Object.fromEntries(entries)
        await transactions.inTurn(() => parts.save(Number(item['id']), language, translations, _view))
      },
    })
  }
}

/** The language of an item, and its translations with the item itself. */
interface ItemLanguage {
  readonly language: Language | undefined
  readonly translations: Translations
}

interface Parts {
  readonly read: (id: number, scope: RequestCache) => Promise<ItemLanguage>
  readonly editUrl: ((id: number) => string) | null
  readonly save: (id: number, language: Language, translations: Translations, view: AdminView) => Promise<void>
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

/** Renders the language of an item, and its translations. Names of languages are stored as HTML. */
function cellOf(shown: ItemLanguage | undefined, editUrl: Parts['editUrl']): PageHtml | string {
  const { language, translations = {} } = shown ?? {}
  if (language === undefined) return '–'
  const others = Object.entries(translations).filter(([slug]) => slug !== language.slug)
  const links = others.map(([slug, id]) =>
    editUrl === null ? html` <span>${slug}</span>` : html` <a href="${editUrl(id)}">${slug}</a>`,
  )
  return html`${language.slug}${links.length === 0 ? null : html` <small>(${links} )</small>`}`
}

/** Renders the fields for the language and the translations of an item. */
function panelOf(
  { t, plugin }: AdminView,
  shown: ItemLanguage | null,
  all: readonly Language[],
  fallback: Language | undefined,
): PageHtml {
  const { plainPages } = plugin.services
  const chosen = shown?.language?.slug ?? fallback?.slug
  const options = all.map(
    ({ slug, name }) =>
      html`<option value="${slug}" ${slug === chosen ? html`selected` : null}>${plainPages.stored(name)}</option>`,
  )
  const inputs = all
    .filter(({ slug }) => slug !== chosen)
    .map(
      ({ slug }) =>
        html`<p>
          <label for="translation-${slug}">${t('ID of the translation: {language}', { language: slug })}</label>
          <input
            id="translation-${slug}"
            name="translation_${slug}"
            type="number"
            min="1"
            value="${shown?.translations[slug] ?? ''}"
          />
        </p>`,
    )
  return html`<p>
      <label for="item-language">${t('Language')}</label>
      <select id="item-language" name="item_language">
        ${options}
      </select>
    </p>
    ${inputs}`
}
