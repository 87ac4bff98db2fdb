import { RequestCache, type PluginContext } from '../../public.ts'
import { LANGUAGE, type Languages } from './languages.ts'

type Wanted = Parameters<Parameters<PluginContext['hooks']['slug_owners']['tapPromise']>[1]>[1]

/** Fact of a new term: the code of its language, which is stored after the term. */
export const LANGUAGE_FACT = 'language'

/**
 * Allows the same slug for items of different languages, because their URLs have different codes. An item without a
 * language shares its slug with no other item: its URL is the same in all languages.
 */
export function tapSlugs({ hooks }: PluginContext, languages: Languages): void {
  hooks.slug_owners.tapPromise('languages', async (owners, wanted) => {
    if (owners.length === 0) return owners
    const own = await wantedLanguage(languages, wanted)
    if (own === undefined) return owners
    const scope = new RequestCache()
    const codes = await Promise.all(owners.map(({ id }) => languageOf(languages, wanted.kind, id, scope)))
    return owners.filter((_, at) => codes[at] === undefined || codes[at] === own)
  })
}

/** Returns the code of the language that the item has after the write; undefined without one. */
async function wantedLanguage(languages: Languages, { kind, id, terms, facts }: Wanted): Promise<string | undefined> {
  const set = terms.get(LANGUAGE)
  if (set !== undefined) return (await languages.all()).find(({ term }) => set.includes(term.id))?.slug
  const fact = facts[LANGUAGE_FACT]
  return typeof fact === 'string' ? fact : languageOf(languages, kind, id, new RequestCache())
}

async function languageOf(
  languages: Languages,
  kind: Wanted['kind'],
  id: number,
  scope: RequestCache,
): Promise<string | undefined> {
  if (id === 0) return undefined
  return kind === 'post' ? (await languages.ofPost(id, scope))?.slug : (await languages.ofTerm(id))?.language
}
