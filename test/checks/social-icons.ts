import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Copies the shapes of social link services from the package simple-icons, which is in the public domain (CC0 1.0), into
 * the table of services. The shapes of the table that are not brands are drawn for this project and stay.
 *
 *     npm pack simple-icons@11.15.0 && tar xzf simple-icons-11.15.0.tgz
 *     node test/checks/social-icons.ts package
 */
const TABLE = join(import.meta.dirname, '../../plugins/rendering/core-blocks/site/social-services.json')

/** Services whose file has another name. */
const FILES: Readonly<Record<string, string>> = { fivehundredpx: '500px', lastfm: 'lastdotfm' }

interface Service {
  name: string
  color: string | null
  path: string
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Pass the folder of the unpacked package simple-icons.')
const table = JSON.parse(await readFile(TABLE, 'utf8')) as Record<string, Service>
for (const [key, service] of Object.entries(table)) {
  if (service.color === null) continue
  const svg = await readFile(join(folder, 'icons', `${FILES[key] ?? key}.svg`), 'utf8')
  const [, path] = / d="([^"]+)"/.exec(svg) ?? []
  if (path === undefined) throw new Error(`The icon of ${key} has no path.`)
  service.path = path
}
await writeFile(TABLE, `${JSON.stringify(table, null, 2)}\n`)
