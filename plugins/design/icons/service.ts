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
  /** Name with the prefix of its collection: `core/arrow-down`. */
  readonly name: string
  readonly collection: string
}

const PART = /^[a-z0-9][a-z0-9-]*$/
/** Maximum characters of an icon. */
const MAX_ICON_LENGTH = 20_000

/** The registry of icons and their collections. Icons are removed together with the plugin that registered them. */
export class Icons {
  readonly #collections = new OwnedMap<RegisteredIconCollection>('icon collection')
  readonly #icons = new OwnedMap<RegisteredIcon>('icon')

  /**
   * Registers a collection of icons.
   * @param slug lower-case letters, digits and `-`
   * @throws ICON_INVALID
   */
  registerCollection(slug: string, { label, description = '' }: IconCollection): void {
    if (!PART.test(slug))
      throw errors.ICON_INVALID(slug, 'the slug of its collection must consist of lower-case letters, digits and "-"')
    this.#collections.set(slug, { slug, name: slug, label, description }, slug)
  }

  /**
   * Registers an icon.
   * @param name with a registered collection as prefix: `garden/leaf`
   * @throws ICON_INVALID
   */
  register(name: string, { label, content }: Icon): void {
    const [collection = '', iconName = '', ...more] = name.split('/')
    if (more.length > 0 || !PART.test(iconName))
      throw errors.ICON_INVALID(name, 'its name must have the form "garden/leaf"')
    if (!this.#collections.has(collection)) throw errors.ICON_INVALID(name, 'register its collection first')
    if (!isPlainSvg(content))
      throw errors.ICON_INVALID(name, 'its content must be one <svg> element without scripts and external references')
    this.#icons.set(name, { name, label, content, collection }, name)
  }

  /** Returns the icon with a full name, or undefined. */
  get(name: string): RegisteredIcon | undefined {
    return this.#icons.get(name)
  }

  /** Returns all icons in order of registration. */
  all(): RegisteredIcon[] {
    return [...this.#icons].map(([, icon]) => icon)
  }

  /** Returns a collection, or undefined. */
  collection(slug: string): RegisteredIconCollection | undefined {
    return this.#collections.get(slug)
  }

  /** Returns all collections in order of registration. */
  collections(): RegisteredIconCollection[] {
    return [...this.#collections].map(([, collection]) => collection)
  }
}

/** Whether a text is a single `<svg>` element without scripts, event handlers and external references. */
function isPlainSvg(content: string): boolean {
  const text = content.trim()
  if (text.length > MAX_ICON_LENGTH || !/^<svg[\s>]/i.test(text) || !text.endsWith('</svg>')) return false
  return !/<(?:script|foreignobject|style|use|image|a|animate|set)[\s/>]|\son\w+\s*=|(?:href|src)\s*=|javascript:/i.test(
    text,
  )
}
