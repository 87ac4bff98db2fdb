import { OwnedMap } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import { familyInCss, textOf, type FontSettings } from './settings.ts'

/** A font family in a collection. */
export interface CollectedFamily {
  /** Settings of the family; its faces are in `fontFace`. */
  readonly font_family_settings: FontSettings
  /** Slugs of its categories. */
  readonly categories?: readonly string[]
}

/** A collection of fonts that users can install. */
export interface FontCollection {
  readonly name: string
  readonly description?: string
  readonly font_families: readonly CollectedFamily[]
  readonly categories?: readonly { readonly name: string; readonly slug: string }[]
}

/** A registered collection with its slug and all defaults. */
export type RegisteredCollection = Readonly<Required<FontCollection>> & { readonly slug: string }

/** The registry of font collections. Collections are removed together with the plugin that registered them. */
export class FontCollections {
  readonly #collections = new OwnedMap<RegisteredCollection>('font collection')

  /**
   * Registers a collection.
   * @param slug lower-case letters, digits and `-`
   * @throws FONT_COLLECTION_INVALID
   */
  register(slug: string, collection: FontCollection): void {
    const { name, description = '', font_families: families, categories = [] } = collection
    if (!/^[a-z0-9][a-z0-9-]*$/.test(slug) || name === '' || !Array.isArray(families))
      throw errors.FONT_COLLECTION_INVALID(slug)
    const quoted = families.map((family: CollectedFamily) => ({
      font_family_settings: {
        ...family.font_family_settings,
        fontFamily: familyInCss(textOf(family.font_family_settings['fontFamily'])),
      },
      categories: family.categories ?? [],
    }))
    this.#collections.set(slug, { slug, name, description, font_families: quoted, categories }, slug)
  }

  /** Returns a collection, or undefined. */
  get(slug: string): RegisteredCollection | undefined {
    return this.#collections.get(slug)
  }

  /** Returns all collections in order of registration. */
  all(): RegisteredCollection[] {
    return [...this.#collections].map(([, collection]) => collection)
  }
}
