import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import importer from '../../../../plugins/operations/importer/index.ts'
import { importSite, type SiteImport } from '../../../../plugins/operations/importer/import-site.ts'
import type { ImportReport } from '../../../../plugins/operations/importer/report.ts'
import { readSiteFile, type SiteFile } from '../../../../plugins/operations/importer/site-file.ts'
import { valueRules } from '../../../../plugins/operations/importer/record-values.ts'
import { writingRules } from '../../../../plugins/operations/importer/text-filter.ts'
import { createPluginTables } from '../../../../plugins/storage/store/images.ts'
import type { Database, Row } from '../../../../plugins/storage/store/schema.ts'
import type { Store } from '../../../../plugins/storage/store/store.ts'
import type { Site } from '../../../helpers/site.ts'

/** The export that most tests import. */
export const garden = new URL('../../../fixtures/garden.wxr.xml', import.meta.url)
/** Home URL of the site that imports it. */
export const home = 'https://new.test'

const gardenSite = new URL('../../../fixtures/garden.site.json', import.meta.url)

/** Creates the tables of the importer in a store, which a store in memory lacks. */
export async function createTables(store: Store): Promise<void> {
  await createPluginTables(store, [importer])
}

/** Imports into a store; imports the garden by default. */
export type ImportFunction = (store: Store, options?: Partial<SiteImport>) => Promise<ImportReport>

/** Creates an import function with the rules of a site. */
export function createImporter(site: Site): ImportFunction {
  return async (store, options = {}) => {
    await createTables(store)
    return await importSite(store, {
      source: createReadStream(garden),
      home,
      typeName: (name) => `svc_${name}`,
      rules: { ...writingRules(site.kernel.services), ...valueRules(site.kernel.services) },
      hashPassword: async (plain) => `hash of ${plain}`,
      hashApplicationPassword: (plain) => `app hash of ${plain}`,
      ...options,
    })
  }
}

/** The site file of the garden. */
export async function siteFile(): Promise<SiteFile> {
  return readSiteFile(await readFile(gardenSite, 'utf8'), home)
}

/** Fills a site with content, some of it under names that the file uses. */
export async function inUse(store: Store): Promise<void> {
  const { db } = store
  await store.run(db.insertInto('users').values({ id: 30, login: 'owner', slug: 'rosa', name: 'Owner' }))
  await store.run(db.insertInto('terms').values({ id: 40, taxonomy: 'category', slug: 'plants', name: 'Green' }))
  const mine = { title: 'Mine', type: 'page', status: 'publish', slug: 'about', date: '2023-01-01 00:00:00' }
  await store.run(db.insertInto('posts').values({ id: 500, guid: 'https://new.test/?p=130', ...mine }))
  await store.run(db.insertInto('comments').values({ id: 70, post_id: 500, content: 'Mine' }))
  await store.syncSequences()
}

export async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

export async function rows<T extends keyof Database>(store: Store, table: T): Promise<Row<T>[]> {
  return (await store.all(store.db.selectFrom(table as 'posts').selectAll())) as unknown as Row<T>[]
}

export async function byId<T extends 'posts' | 'terms' | 'comments' | 'users'>(
  store: Store,
  table: T,
): Promise<Map<number, Row<T>>> {
  return new Map((await rows(store, table)).map((row) => [(row as { id: number }).id, row]))
}

/** Every row of every table that an import writes. */
export async function everything(store: Store): Promise<unknown> {
  const tables = [
    'users',
    'user_meta',
    'posts',
    'post_meta',
    'terms',
    'term_meta',
    'term_relationships',
    'comments',
    'comment_meta',
    'options',
    'application_passwords',
  ] as const
  const all = await Promise.all(
    tables.map(async (table) => [table, (await rows(store, table)).map((row) => JSON.stringify(row)).sort()]),
  )
  return Object.fromEntries(all)
}
