import { OwnedMap } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import { familyInCss, textOf, type FontSettings } from './settings.ts'

/** A font family that users may take from a collection. */
export interface CollectedFamily {
  /** Its settings, with its faces as `fontFace`. */
  readonly font_family_settings: FontSettings
  /** Slugs of the categories that it is in. */
  readonly categories?: readonly string[]
}

/** Fonts to choose from. */
export interface FontCollection {
  readonly name: string
  readonly description?: string
  readonly font_families: readonly CollectedFamily[]
  readonly categories?: readonly { readonly name: string; readonly slug: string }[]
}

/** A collection under its slug, with all defaults. */
export type RegisteredCollection = Readonly<Required<FontCollection>> & { readonly slug: string }

/** The font collections of the site. Those of a plugin are removed with it. */
export class FontCollections {
  readonly #collections = new OwnedMap<RegisteredCollection>('font collection')

  /**
   * Registers a collection.
   * @param slug small letters, digits and `-`
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

  /** One of them; undefined where there is none. */
  get(slug: string): RegisteredCollection | undefined {
    return this.#collections.get(slug)
  }

  /** In order of registration. */
  all(): RegisteredCollection[] {
    return [...this.#collections].map(([, collection]) => collection)
  }
}
