import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { sql } from 'kysely'
import { openStore } from '../../plugins/storage/store/open.ts'
import type { Store } from '../../plugins/storage/store/store.ts'
import { brokenInvariants } from '../helpers/invariants.ts'
import { knownFiles } from './ledger.ts'
import type { AuditServer, AuditSite } from './server.ts'

/** Checks a database, also while its server runs: the file itself and its content. */
export async function brokenDatabase(store: Store): Promise<string[]> {
  return [...(await brokenFile(store)), ...(await brokenInvariants(store))]
}

/** Opens the database of a site, runs `read` and closes it. */
export async function withStore<T>(site: AuditSite, read: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(site.database)
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}

async function brokenFile(store: Store): Promise<string[]> {
  if (store.dialect !== 'sqlite') return []
  const checked = await store.all<{ integrity_check: string }>(sql`pragma integrity_check`)
  const keys = await store.all(sql`pragma foreign_key_check`)
  const wrong = checked.map(({ integrity_check: text }) => text).filter((text) => text !== 'ok')
  return [...wrong, ...(keys.length > 0 ? [`foreign keys: ${JSON.stringify(keys.slice(0, 5))}`] : [])]
}

/** Returns files of the uploads folder that are served although they belong to no attachment. */
export async function strayFiles(store: Store, site: AuditSite, server: AuditServer): Promise<string[]> {
  const knownPaths = await knownFiles(store)
  const stray: string[] = []
  const entries = await readdir(site.uploads, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = relative(site.uploads, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (!entry.isFile() || knownPaths.has(path)) continue
    const url = `${server.home}/uploads/${path.split('/').map(encodeURIComponent).join('/')}`
    const answer = await fetch(url)
    await answer.arrayBuffer()
    if (answer.status !== 404) stray.push(`the file ${path} of no attachment is answered with ${answer.status}`)
  }
  return stray
}
