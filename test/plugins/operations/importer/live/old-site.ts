import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import type { LiveImportOptions, LiveReport } from '../../../../../plugins/operations/importer/index.ts'
import { hashApplicationPassword } from '../../../../../plugins/people/application-passwords/index.ts'
import { serve, type ServeOptions, type Site } from '../../../../helpers/site.ts'
import { garden } from '../importing.ts'

/** Login and application password of the administrator of the old sites. */
export const MOVER = { user: 'mover', password: 'abcd efgh ijkl mnop qrst uvwx' }

const gardenSite = fileURLToPath(new URL('../../../../fixtures/garden.site.json', import.meta.url))

/** Starts a site to import from, with an administrator. */
export async function serveOld(options: ServeOptions = {}): Promise<Site> {
  const site = await serve(options)
  await addMover(site)
  return site
}

/** Starts a site with the garden to import from. @param role of the user who imports */
export async function serveGarden(options: ServeOptions = {}, role?: string): Promise<Site> {
  const site = await serve(options)
  await site.kernel.services.importer.run({ source: createReadStream(garden), siteFiles: [gardenSite] })
  await addMover(site, role)
  return site
}

/** Writes the files of the only attachment of the garden. Their names match `/rose.*\.jpg/`. */
export async function writeRose(uploads: string): Promise<void> {
  const folder = join(uploads, '2024/05')
  await mkdir(folder, { recursive: true })
  for (const name of ['rose.jpg', 'rose-150x150.jpg']) {
    await sharp({ create: { width: 60, height: 40, channels: 3, background: 'crimson' } }).toFile(join(folder, name))
  }
}

/** Adds the user to whom the application password belongs; by default an administrator. */
export async function addMover({ kernel, store }: Site, role = 'administrator'): Promise<number> {
  const { id } = await kernel.services.users.create({
    login: MOVER.user,
    email: 'mover@old.example',
    name: 'Mover',
    slug: MOVER.user,
    roles: [role],
  })
  const hash = hashApplicationPassword(MOVER.password.replaceAll(' ', ''))
  const row = { uuid: crypto.randomUUID(), user_id: id, name: 'move', hash, created: 1, scopes: '[]' }
  await store.run(store.db.insertInto('application_passwords').values(row))
  return id
}

/** Imports a running site of the same machine. */
export function importFrom(here: Site, url: string, options: Partial<LiveImportOptions> = {}): Promise<LiveReport> {
  const all = { url, ...MOVER, allow: ['127.0.0.1:*'], retryDelay: 1, ...options }
  return here.kernel.services.importer.runLive(all)
}
