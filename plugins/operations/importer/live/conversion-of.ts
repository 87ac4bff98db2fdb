import type { Services } from '../../../../kernel/index.ts'
import type { SiteUser } from '../site-file.ts'
import type { WxrItemTerm } from '../wxr/types.ts'
import type { Conversion, Note, OldMetaKey } from './convert/conversion.ts'
import type { Collection } from './collections.ts'
import { RouteFailure } from './old-response.ts'
import { PermalinkFinder } from '../old-sites/permalinks.ts'
import type { RemoteSite } from './remote-site.ts'
import { unknownUser, userOf } from './site-data.ts'
import type { Spool } from './spool.ts'
import { ownTypeName, type Survey } from './survey.ts'
import { dateOf, idOf, idsOf, objectOf, text, type OldObject } from './values.ts'

/** The data of the spool that a conversion has in memory: names of terms and users. */
export interface Prepared {
  readonly conversion: Conversion
  readonly users: readonly SiteUser[]
  readonly menus: readonly OldObject[]
  readonly permalink: string | null
}

interface PreparingParts {
  readonly spool: Spool
  readonly site: RemoteSite
  readonly home: string
  readonly survey: Survey
  readonly services: Pick<Services, 'meta' | 'settings' | 'roles'>
  readonly note: Note
}

/** Posts whose links are examined. */
const MAX_EXAMINED_LINKS = 2000

/** Reads the names of terms and users from the spool. */
export async function prepareConversion(parts: PreparingParts): Promise<Prepared> {
  const { home, note, services, site, spool, survey } = parts
  const { word } = site.root
  const terms = new Map<string, Map<number, WxrItemTerm>>()
  const menus: OldObject[] = []
  for (const { holds, key, slug } of survey.collections) {
    if (holds !== 'terms' && holds !== 'menus') continue
    const byId = new Map<number, WxrItemTerm>()
    for await (const object of (await spool.collection(key)).objects()) {
      byId.set(idOf(object['id']), { taxonomy: slug, slug: text(object['slug']), name: text(object['name']) })
      if (holds === 'menus') menus.push(object)
    }
    terms.set(slug, byId)
  }
  const logins = new Map<number, string>()
  const conversion: Conversion = {
    word,
    taxonomyOfField: new Map(survey.taxonomies.map(({ field, slug }) => [field, ownTypeName(slug, word)])),
    logins,
    fallbackAuthor: survey.user ?? '',
    terms,
    metaKeys: await metaKeysOf(site, survey.collections),
    isSingle: (objectType, subtype, key) =>
      services.meta.fieldsOf(objectType, subtype).find((field) => field.key === key || field.shown?.name === key)
        ?.single,
    note,
  }
  const users: SiteUser[] = []
  const usersCollection = await spool.collection('users')
  const authors = new Map<number, string>()
  for await (const object of usersCollection.objects()) {
    const user = userOf(object, conversion, services)
    if (user === null) continue
    users.push(user)
    logins.set(idOf(object['id']), user.login)
    authors.set(idOf(object['id']), text(object['slug']))
  }
  const finder = new PermalinkFinder(home)
  const categories = terms.get('category')
  await examinePosts(parts, (object, isPost, count) => {
    const author = idOf(object['author'])
    if (author !== 0 && !logins.has(author)) {
      const user = unknownUser(author)
      users.push(user)
      logins.set(author, user.login)
      note('author whom the old site does not show; account created under a number', user.login)
    }
    if (!isPost || count > MAX_EXAMINED_LINKS) return
    finder.add({
      id: idOf(object['id']),
      status: text(object['status']),
      link: text(object['link']),
      date: dateOf(object['date']),
      slug: text(object['slug']),
      author: authors.get(author) ?? '',
      categories: idsOf(object['categories']).map((id) => categories?.get(id)?.slug ?? ''),
    })
  })
  return { conversion, users, menus, permalink: finder.structure }
}

async function examinePosts(
  { spool, survey }: PreparingParts,
  examine: (object: OldObject, isPost: boolean, count: number) => void,
): Promise<void> {
  for (const { holds, key, slug } of survey.collections) {
    if (holds !== 'items' && holds !== 'media') continue
    let count = 0
    for await (const object of (await spool.collection(key)).objects()) {
      count += 1
      examine(object, slug === 'post', count)
    }
  }
}

/** Reads the types and defaults of meta, so that values that are not stored do not come. */
async function metaKeysOf(
  site: RemoteSite,
  collections: readonly Collection[],
): Promise<Map<string, Map<string, OldMetaKey>>> {
  const all = new Map<string, Map<string, OldMetaKey>>()
  const withMeta = collections.filter(({ sample }) => Object.keys(objectOf(sample['meta'])).length > 0)
  await Promise.all(
    withMeta.map(async ({ key, route }) => {
      const schema: OldObject = await site.options(route).catch((error: unknown) => {
        if (error instanceof RouteFailure) return {}
        throw error
      })
      const meta = objectOf(objectOf(objectOf(objectOf(schema['schema'])['properties'])['meta'])['properties'])
      const keys = Object.entries(meta).map(([name, value]): [string, OldMetaKey] => {
        const { type, default: preset } = objectOf(value)
        return [name, { type: text(type), default: preset }]
      })
      all.set(key, new Map(keys))
    }),
  )
  return all
}
