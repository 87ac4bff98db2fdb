import type { WxrItemTerm, WxrTerm } from '../../wxr/types.ts'
import type { Value } from '../../php-values.ts'
import { idOf, objectOf, phpText, text, type OldObject } from '../values.ts'

/** IDs of translations on the old site, by the code of their language. */
type Group = Readonly<Record<string, number>>

const TAXONOMIES = { post: 'post_translations', term: 'term_translations' } as const

/** Converts the languages of Polylang and its groups of translations to the terms in which exports have them. */
export class OldLanguages {
  readonly #languages: readonly OldObject[]
  /** Groups by the lowest ID in them, which gives each a lasting name. */
  readonly #groups = { post: new Map<number, Group>(), term: new Map<number, Group>() }

  /** @param languages objects of the route `pll/v1/languages` */
  constructor(languages: readonly OldObject[]) {
    this.#languages = languages.filter((language) => text(language['slug']) !== '')
  }

  /** The languages, each as a term for posts and a term for terms. */
  *terms(): Generator<WxrTerm> {
    for (const language of this.#languages) {
      const slug = text(language['slug'])
      const name = text(language['name']) || slug
      const ofTerms = objectOf(objectOf(language['term_props'])['term_language'])
      const facts = {
        locale: text(language['locale']) || slug,
        rtl: language['is_rtl'] === true || language['is_rtl'] === 1,
        flag_code: text(language['flag_code']),
      }
      yield { ...termOf('language', slug, name), id: idOf(language['term_id']), description: phpText(facts) }
      yield { ...termOf('term_language', `pll_${slug}`, name), id: idOf(ofTerms['term_id']) }
    }
  }

  /** The options with the default language and the order of languages. */
  options(): Record<string, Value> {
    if (this.#languages.length === 0) return {}
    const main = this.#languages.find((language) => language['is_default'] === true)
    const positions = this.#languages.map((language) => [text(language['slug']), Number(language['term_group']) || 0])
    return {
      ...(main !== undefined && { polylang: { default_lang: text(main['slug']) } }),
      language_positions: Object.fromEntries(positions) as Value,
    }
  }

  /** Adds the translations of an object to its group, and returns the term of the group; null without translations. */
  groupOf(kind: 'post' | 'term', object: OldObject): WxrItemTerm | null {
    const language = text(object['lang'])
    if (language === '') return null
    const listed = Object.entries(objectOf(object['translations'])).map(([code, id]) => [code, idOf(id)] as const)
    const group: Group = Object.fromEntries([...listed.filter(([, id]) => id > 0), [language, idOf(object['id'])]])
    const ids = Object.values(group)
    // Only terms have their language in a group, even if they have no translation.
    if (kind === 'post' && ids.length < 2) return null
    const key = Math.min(...ids)
    const before = this.#groups[kind].get(key)
    this.#groups[kind].set(key, { ...group, ...before })
    const name = nameOf(key)
    return { taxonomy: TAXONOMIES[kind], slug: name, name }
  }

  /** The groups of the objects that `groupOf` got. */
  *groups(kind: 'post' | 'term'): Generator<WxrTerm> {
    for (const [key, group] of this.#groups[kind])
      yield { ...termOf(TAXONOMIES[kind], nameOf(key), nameOf(key)), description: phpText(group) }
  }
}

const nameOf = (key: number) => `pll_live_${key}`

function termOf(taxonomy: string, slug: string, name: string): WxrTerm {
  return { kind: 'term', id: 0, taxonomy, slug, name, parent: '', description: '', meta: [] }
}
