import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errors } from './errors.ts'
import type { Catalog } from './words.ts'

/** Catalogs in files, one per language: `de.json`, `pt-BR.json`. */
export class CatalogFiles {
  readonly #paths: ReadonlyMap<string, string>
  readonly #read = new Map<string, Promise<Catalog>>()

  /** @param folder need not exist */
  constructor(folder: string) {
    this.#paths = new Map(namesIn(folder).map((name) => [name.slice(0, -'.json'.length), join(folder, name)]))
  }

  get languages(): string[] {
    return [...this.#paths.keys()]
  }

  /** Reads the catalog of a language, which is empty if there is no file. @throws TRANSLATIONS_INVALID */
  of(language: string): Promise<Catalog> {
    const path = this.#paths.get(language)
    const cached = this.#read.get(language) ?? (path === undefined ? Promise.resolve({}) : catalogIn(path))
    this.#read.set(language, cached)
    return cached
  }
}

const NAME = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*\.json$/

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function catalogIn(path: string): Promise<Catalog> {
  const text = await readFile(path, 'utf8')
  // A shell that redirects `svc translations` into a file empties it before the command reads it.
  if (text.trim() === '') return {}
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch (cause) {
    throw errors.TRANSLATIONS_INVALID(path, 'it is not JSON', { cause })
  }
  if (!isCatalog(read)) throw errors.TRANSLATIONS_INVALID(path, 'it must be an object of translations by English text')
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null)) as Catalog
}

/** Null marks a text without a translation, as the command writes it. */
function isCatalog(value: unknown): value is Readonly<Record<string, Catalog[string] | null>> {
  const isForms = (one: unknown) =>
    typeof one === 'object' && one !== null && Object.values(one).every((form) => typeof form === 'string')
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => one === null || typeof one === 'string' || isForms(one))
  )
}
