import { normalize } from '../../../library/markup/index.ts'
import type { Store } from '../../../storage/store/index.ts'
import { inBatches, padded } from '../lists.ts'
import { normalizeHome } from './fingerprint.ts'
import { tablesOf, type MappedKind } from './tables.ts'

/** An object that an address of an old site belongs to, or the archive of a content type. */
export interface AddressedObject {
  readonly kind: MappedKind | 'type'
  /** Taxonomy of a term, on this site; name of a content type. */
  readonly taxonomy: string
  /** As in the map of the old site; 0 for a type. */
  readonly oldId: number
}

/** An object of this site that has had an address on an old site. */
export interface FoundObject {
  readonly kind: MappedKind | 'type'
  /** Name of a content type. */
  readonly type: string
  /** ID on this site; 0 for a type. */
  readonly id: number
}

/** Longer addresses are not stored, because the column has an index. */
const MAX_ADDRESS_LENGTH = 1000
const ROWS_PER_INSERT = 100

/**
 * Returns the addresses of a URL below the home URL of its site, decoded and without a trailing slash: the path below
 * the home, and the whole path if the home has a folder; with a query: `/?p=12`. Empty for URLs of other sites and for
 * the home itself.
 */
export function addressesOf(link: string, home: string): string[] {
  const url = URL.parse(link)
  if (url === null || !/^https?:$/.test(url.protocol)) return []
  const [host = '', ...folders] = normalizeHome(home).split('/')
  if (url.host.replace(/^www\./, '') !== host) return []
  const path = addressOf(decoded(url.pathname), decoded(url.search))
  const folder = folders.length === 0 ? '' : `/${folders.join('/')}`
  const rest = folder !== '' && path.startsWith(folder) ? path.slice(folder.length) : ''
  const below = /^[/?]/.test(rest) ? (rest.startsWith('?') ? `/${rest}` : rest) : path
  return [...new Set([path, below])].filter((one) => one !== '/' && one.length <= MAX_ADDRESS_LENGTH)
}

/** Brings a decoded path and a decoded query (`?p=12`) into the form of a stored address. */
export function addressOf(path: string, query: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return normalize(`${path.slice(0, end) || '/'}${query === '?' ? '' : query}`, 'NFC')
}

/** The addresses of the objects of an old site. Create it within the transaction of an import. */
export class Addresses {
  readonly #tx: Store
  readonly #site: { readonly id: number; readonly home: string }
  #rows: (AddressedObject & { address: string })[] = []

  /** @param site row of the old site in the map, and its home URL */
  constructor(tx: Store, site: { readonly id: number; readonly home: string }) {
    this.#tx = tx
    this.#site = site
  }

  /** Adds the URL of an object on the old site. */
  async add(object: AddressedObject, link: string): Promise<void> {
    for (const address of addressesOf(link, this.#site.home)) this.#rows.push({ ...object, address })
    if (this.#rows.length >= ROWS_PER_INSERT) await this.flush()
  }

  async flush(): Promise<void> {
    const rows = this.#rows
    this.#rows = []
    await this.#write(rows, true)
  }

  /** Writes URLs that the import has derived. They do not replace URLs of objects. */
  async addDerived(links: Iterable<{ object: AddressedObject; link: string }>): Promise<void> {
    await this.flush()
    const rows = [...links].flatMap(({ object, link }) =>
      addressesOf(link, this.#site.home).map((address) => ({ ...object, address })),
    )
    await this.#write(rows, false)
  }

  async #write(all: readonly (AddressedObject & { address: string })[], replaces: boolean): Promise<void> {
    const latest = new Map(all.map((row) => [row.address, row]))
    for (const rows of inBatches([...latest.values()], ROWS_PER_INSERT)) {
      const values = rows.map(({ address, kind, taxonomy, oldId }) => {
        return { address, site: this.#site.id, kind, taxonomy, old_id: oldId }
      })
      const insert = tablesOf(this.#tx).insertInto('importer__addresses').values(values)
      await this.#tx.run(
        insert.onConflict((conflict) => {
          const columns = conflict.columns(['address', 'site'])
          if (!replaces) return columns.doNothing()
          return columns.doUpdateSet((of) => ({
            kind: of.ref('excluded.kind'),
            taxonomy: of.ref('excluded.taxonomy'),
            old_id: of.ref('excluded.old_id'),
          }))
        }),
      )
    }
  }
}

/**
 * Returns the objects of this site that had one of these addresses on an old site, in the order of the addresses; of
 * several old sites, the one that was imported last comes first.
 */
export async function findByAddress(store: Store, addresses: readonly string[]): Promise<FoundObject[]> {
  const query = tablesOf(store)
    .selectFrom('importer__addresses as address')
    .leftJoin('importer__objects as object', (join) =>
      join
        .onRef('object.site', '=', 'address.site')
        .onRef('object.kind', '=', 'address.kind')
        .onRef('object.taxonomy', '=', 'address.taxonomy')
        .onRef('object.old_id', '=', 'address.old_id'),
    )
    .select(['address.address', 'address.kind', 'address.taxonomy', 'object.new_id'])
    .where('address.address', 'in', padded([...addresses]))
    .where((of) => of.or([of('object.new_id', '>', 0), of('address.kind', '=', 'type')]))
    .orderBy('address.site', 'desc')
  const rows = await store.all(query)
  return addresses.flatMap((address) =>
    rows
      .filter((row) => row.address === address)
      .map((row) => ({ kind: row.kind as FoundObject['kind'], type: row.taxonomy, id: row.new_id ?? 0 })),
  )
}

/**
 * Returns the object of this site that had an ID on the old site. Null if several old sites are known: the ID does not
 * tell which one of them it belongs to.
 * @param taxonomy of a term
 */
export async function findByOldId(
  store: Store,
  kind: MappedKind,
  oldId: number,
  taxonomy: string,
): Promise<FoundObject | null> {
  const tables = tablesOf(store)
  const [site, other] = await store.all(tables.selectFrom('importer__sites').select('id').limit(2))
  if (site === undefined || other !== undefined) return null
  const query = tables
    .selectFrom('importer__objects')
    .select('new_id')
    .where('site', '=', site.id)
    .where('kind', '=', kind)
    .where('taxonomy', '=', taxonomy)
    .where('old_id', '=', oldId)
    .where('new_id', '>', 0)
  const row = await store.first(query)
  return row === undefined ? null : { kind, type: '', id: row.new_id }
}

/** Decodes a part of a URL; returns malformed texts unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
