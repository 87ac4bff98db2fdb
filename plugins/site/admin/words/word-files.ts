import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errors } from '../errors.ts'
import type { Catalogue } from './words.ts'

/** Catalogues as files, one a language: `de.json`, `pt-BR.json`. */
export class WordFiles {
  readonly #paths: ReadonlyMap<string, readonly string[]>
  readonly #read = new Map<string, Promise<Catalogue>>()

  /** @param folders those that come later go before others; one that is not there has none */
  constructor(folders: readonly string[]) {
    const files = folders.flatMap((folder) => namesIn(folder).map((name) => ({ name, path: join(folder, name) })))
    const byLanguage = Map.groupBy(files, ({ name }) => name.slice(0, -'.json'.length))
    this.#paths = new Map([...byLanguage].map(([language, some]) => [language, some.map(({ path }) => path)]))
  }

  get languages(): string[] {
    return [...this.#paths.keys()]
  }

  /** The translations into a language; none where it has no file. @throws ADMIN_WORDS_INVALID */
  of(language: string): Promise<Catalogue> {
    const kept = this.#read.get(language) ?? catalogueOf(this.#paths.get(language) ?? [])
    this.#read.set(language, kept)
    return kept
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

async function catalogueOf(paths: readonly string[]): Promise<Catalogue> {
  const all = await Promise.all(paths.map(catalogueIn))
  return Object.assign({}, ...all) as Catalogue
}

async function catalogueIn(path: string): Promise<Catalogue> {
  const text = await readFile(path, 'utf8')
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch (cause) {
    throw errors.ADMIN_WORDS_INVALID(path, 'it is no JSON', { cause })
  }
  if (!isCatalogue(read)) throw errors.ADMIN_WORDS_INVALID(path, 'it is not an object of texts by texts')
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null)) as Catalogue
}

/** What is not translated yet may be null, as the command writes it. */
function isCatalogue(value: unknown): value is Readonly<Record<string, Catalogue[string] | null>> {
  const isForms = (one: unknown) =>
    typeof one === 'object' && one !== null && Object.values(one).every((form) => typeof form === 'string')
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => one === null || typeof one === 'string' || isForms(one))
  )
}
