import path from 'node:path'
import { definePlugin } from '../../../kernel/index.ts'
import { hideCredentials } from '../../library/secrets/index.ts'
import { loadTransfer } from '../../storage/store/index.ts'
import { errors } from './errors.ts'

/** Copies the database of the site into another one, of the same or the other kind. */
export default definePlugin({
  name: 'transfer',
  needs: ['store'],
  apply({ addCommand, config, services }) {
    addCommand('transfer', {
      summary: 'Copies the database into an empty one, from SQLite to PostgreSQL or back, and compares both.',
      description:
        'Copies all tables, also those of plugins, from one snapshot: the server can run in the meantime, but later changes are not copied. The target must be empty, and is filled in one transaction. Media files are not in the database: the target site needs the same uploads folder, or a copy of it.',
      flags: {
        to: {
          description: 'URL of the target: postgres://USER:PASSWORD@HOST/NAME or sqlite:FILE.',
          type: 'string',
          required: true,
        },
      },
      json: true,
      async run({ flags, json, print, printData }) {
        const to = targetOf(flags.to, config.database)
        const { transferDatabase } = await loadTransfer()
        const tables = await transferDatabase(services.store, { to, migrations: services.migrations })
        printData(tables.map(({ table, rows, hash }) => ({ table, rows, hash })))
        if (json) return
        const rows = tables.reduce((sum, table) => sum + table.rows, 0)
        const uploads = path.relative(process.cwd(), config.uploads) || '.'
        print(`
${rows} rows of ${tables.length} tables were copied, and both databases have equal hashes.

To serve the site from the copy, set "database" to ${hideCredentials(to)}.
Media files are not in the database: they stay in ${uploads}.`)
      },
    })
  },
})

/** Resolves the file of a target. @throws TRANSFER_TARGET_INVALID, TRANSFER_TO_ITSELF */
function targetOf(url: string, source: string): string {
  if (/^postgres(?:ql)?:\/\/./.test(url)) {
    if (url === source) throw errors.TRANSFER_TO_ITSELF(hideCredentials(url))
    return url
  }
  const file = /^sqlite:(.+)$/s.exec(url)?.[1]
  if (file === undefined || file === ':memory:') throw errors.TRANSFER_TARGET_INVALID(hideCredentials(url))
  const resolved = path.resolve(file)
  if (source === `sqlite:${resolved}`) throw errors.TRANSFER_TO_ITSELF(url)
  return `sqlite:${resolved}`
}
