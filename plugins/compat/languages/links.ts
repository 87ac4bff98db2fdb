import { addQuery, RequestCache, type PluginContext } from '../../public.ts'
import { pageLanguage, PARAMETER, setPageLanguage } from './current.ts'
import type { Language, Languages } from './languages.ts'

type Hooks = PluginContext['hooks']
type Subject = Parameters<Parameters<Hooks['site_link']['tapPromise']>[1]>[1]
type Resolution = Parameters<Parameters<Hooks['site_url_resolution']['tapPromise']>[1]>[0]

/** Adds languages to the URLs of pages, and removes them from requested URLs. */
export class LanguageLinks {
  readonly #plugin: PluginContext
  readonly #languages: Languages

  constructor(plugin: PluginContext, languages: Languages) {
    this.#plugin = plugin
    this.#languages = languages
  }

  tap(): void {
    const { hooks } = this.#plugin
    hooks.site_link.tapPromise('languages', (link, subject, scope) => this.#linkOf(link, subject, scope))
    hooks.site_url_resolution.tapPromise('languages', (resolution, scope) => this.#resolved(resolution, scope))
    hooks.site_url_parameters.tap('languages', (names) => [...names, PARAMETER])
    hooks.site_front_pages.tapPromise('languages', async (pages, scope) => {
      const language = pageLanguage(scope)
      return language === undefined
        ? pages
        : {
            front: await this.translated(pages.front, language, scope),
            posts: await this.translated(pages.posts, language, scope),
          }
    })
  }

  /** Returns the URL of the front page in a language. */
  async homeOf(language: Language): Promise<string> {
    return this.withLanguage(this.#plugin.urls.site('/'), language)
  }

  /** Returns the ID of the translation of a page; the page itself if it has none. */
  async translated(id: number, language: Language, scope: RequestCache): Promise<number> {
    if (id === 0) return 0
    return (await this.#languages.translationsOfPost(id, scope))[language.slug] ?? id
  }

  /** Returns a URL of the site in a language. */
  async withLanguage(link: string, language: Language): Promise<string> {
    const { urls } = this.#plugin
    const prefix = await this.#prefixOf(language)
    if (prefix === '') return link
    const structure = await this.#plugin.services.permalinks.structure(new RequestCache())
    const home = urls.site('/')
    if (structure.post === '' || !link.startsWith(home)) return addQuery(link, { [PARAMETER]: language.slug })
    const root = urls.site(structure.root)
    const base = link.startsWith(root) ? root : home
    const rest = link.slice(base.length)
    if (rest.startsWith('?') && rest !== '') return addQuery(link, { [PARAMETER]: language.slug })
    return `${root}${prefix}/${rest}`
  }

  async #prefixOf({ slug }: Language): Promise<string> {
    const [{ hide_default: hides, rewrite }, fallback] = await Promise.all([
      this.#languages.settings(),
      this.#languages.default(),
    ])
    if (hides && slug === fallback?.slug) return ''
    return rewrite ? slug : `language/${slug}`
  }

  async #linkOf(link: string, subject: Subject, scope: RequestCache): Promise<string> {
    const language = await this.#languageOf(subject, scope)
    if (language === undefined) return link
    if (subject.kind === 'post' && (await this.#isFrontOf(subject.post.id, language, scope)))
      return this.homeOf(language)
    return this.withLanguage(link, language)
  }

  /** Whether a page is the front page of its language, and is shown under the URL of the language. */
  async #isFrontOf(id: number, language: Language, scope: RequestCache): Promise<boolean> {
    const set = await this.#plugin.services.options.many(['show_on_front', 'page_on_front'])
    const front = set.show_on_front === 'page' ? Number(set.page_on_front) || 0 : 0
    if (front === 0) return false
    return id === front || (await this.translated(front, language, scope)) === id
  }

  async #languageOf(subject: Subject, scope: RequestCache): Promise<Language | undefined> {
    if (subject.kind === 'post') return this.#languages.ofPost(subject.post.id, scope)
    if (subject.kind !== 'term') return pageLanguage(scope)
    const group = await this.#languages.ofTerm(subject.term.id)
    return group === undefined ? undefined : this.#languages.find(group.language)
  }

  /** Removes the language from a requested URL, and sets it for the page. */
  async #resolved(resolution: Resolution, scope: RequestCache): Promise<Resolution> {
    const { url, isPreferred, isTermPreferred } = resolution
    const { path, query } = url
    const all = await this.#languages.all()
    const fallback = await this.#languages.default()
    if (fallback === undefined) return resolution
    const [{ rewrite }, structure] = await Promise.all([
      this.#languages.settings(),
      this.#plugin.services.permalinks.structure(new RequestCache()),
    ])
    const base = `${structure.root.slice(0, -1)}${rewrite ? '' : '/language'}`
    const code = path.startsWith(`${base}/`) ? (path.slice(base.length + 1).split('/', 1)[0] ?? '') : ''
    const inPath = structure.post === '' ? undefined : all.find(({ slug }) => slug === code.toLowerCase())
    const named = inPath ?? (await this.#languages.find(query.get(PARAMETER) ?? '')) ?? fallback
    setPageLanguage(scope, named)
    const rest = inPath === undefined ? path : path.slice(base.length + 1 + code.length)
    return {
      url: { path: inPath === undefined ? path : `${structure.root.slice(0, -1)}${rest}`, query },
      isPreferred: async (post) => {
        const [isOther, language] = await Promise.all([
          isPreferred === null ? false : Promise.resolve(isPreferred(post)).then((is) => !is),
          this.#languages.ofPost(post.id, scope),
        ])
        return !isOther && (language === undefined || language.slug === named.slug)
      },
      isTermPreferred: async (term) => {
        if ((await isTermPreferred?.(term)) === false) return false
        return (await this.#languages.ofTerm(term.id))?.language === named.slug
      },
    }
  }
}
