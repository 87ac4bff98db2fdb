import { OwnedMap } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** A collection of icons. */
export interface IconCollection {
  readonly label: string
  readonly description?: string
}

/** An icon. */
export interface Icon {
  readonly label: string
  /** An `<svg>` element. */
  readonly content: string
}

export type RegisteredIconCollection = Readonly<Required<IconCollection>> & {
  readonly slug: string
  readonly name: string
}
export type RegisteredIcon = Readonly<Icon> & {
  /** With its collection: `core/arrow-down`. */
  readonly name: string
  readonly collection: string
}

const PART = /^[a-z0-9][a-z0-9-]*$/
/** Characters of an icon; a longer one is a picture. */
const MAX_ICON_LENGTH = 20_000

/** The icons of the site, in collections. Those of a plugin are removed with it. */
export class Icons {
  readonly #collections = new OwnedMap<RegisteredIconCollection>('icon collection')
  readonly #icons = new OwnedMap<RegisteredIcon>('icon')

  /**
   * Registers a collection of icons.
   * @param slug small letters, digits and `-`
   * @throws ICON_INVALID
   */
  registerCollection(slug: string, { label, description = '' }: IconCollection): void {
    if (!PART.test(slug))
      throw errors.ICON_INVALID(slug, 'its collection needs a slug of small letters, digits and "-"')
    this.#collections.set(slug, { slug, name: slug, label, description }, slug)
  }

  /**
   * Registers an icon.
   * @param name with its collection, which has to be there: `garden/leaf`
   * @throws ICON_INVALID
   */
  register(name: string, { label, content }: Icon): void {
    const [collection = '', own = '', ...more] = name.split('/')
    if (more.length > 0 || !PART.test(own)) throw errors.ICON_INVALID(name, 'its name must be like "garden/leaf"')
    if (!this.#collections.has(collection)) throw errors.ICON_INVALID(name, 'there is no collection of this name')
    if (!isPlainSvg(content)) throw errors.ICON_INVALID(name, 'it must be one <svg> element that runs nothing')
    this.#icons.set(name, { name, label, content, collection }, name)
  }

  /** An icon by its name with its collection; undefined where there is none. */
  get(name: string): RegisteredIcon | undefined {
    return this.#icons.get(name)
  }

  /** In order of registration. */
  all(): RegisteredIcon[] {
    return [...this.#icons].map(([, icon]) => icon)
  }

  /** A collection; undefined where there is none. */
  collection(slug: string): RegisteredIconCollection | undefined {
    return this.#collections.get(slug)
  }

  /** In order of registration. */
  collections(): RegisteredIconCollection[] {
    return [...this.#collections].map(([, collection]) => collection)
  }
}

/** Whether a text is one `<svg>` element without scripts, listeners, and addresses of anything outside of it. */
function isPlainSvg(content: string): boolean {
  const text = content.trim()
  if (text.length > MAX_ICON_LENGTH || !/^<svg[\s>]/i.test(text) || !text.endsWith('</svg>')) return false
  return !/<(?:script|foreignobject|style|use|image|a|animate|set)[\s/>]|\son\w+\s*=|(?:href|src)\s*=|javascript:/i.test(
    text,
  )
}
