import { EVERYTHING } from '../changes/change.ts'
import { sql } from '../kysely.ts'
import type { Store } from '../store.ts'
import { errors } from './errors.ts'
import { databaseObjects, dropStatement, inDropOrder } from './objects.ts'
import { tablePrefix } from './prefix.ts'

/** The removed data of a plugin. */
export interface RemovedData {
  /** Type and name: `table garden__plants`. */
  readonly objects: readonly string[]
  readonly migrations: number
  readonly jobs: number
  /** Names of options that began with its prefix. */
  readonly options: readonly string[]
}

/**
 * Removes the data of a plugin: everything whose name starts with its prefix (tables, indexes, triggers, functions,
 * options), the records of its migrations, and its jobs. The plugin need not be installed.
 * @throws PLUGIN_DATA_NONE
 */
export function removePluginData(store: Store, plugin: string): Promise<RemovedData> {
  const prefix = tablePrefix(plugin)
  return store.inTurn(async (tx) => {
    const { db } = tx
    const recorded = await tx.all(db.selectFrom('plugin_migrations').select('plugin').distinct().orderBy('plugin'))
    const others = recorded.map((row) => row.plugin).filter((name) => name !== plugin)
    const shared = others.find((name) => tablePrefix(name) === prefix)
    if (shared !== undefined) throw errors.MIGRATION_PREFIX_TAKEN(plugin, prefix, shared)

    const own = (await databaseObjects(tx)).filter(({ name }) => name.toLowerCase().startsWith(prefix))
    if (tx.dialect === 'sqlite') await tx.script('pragma defer_foreign_keys = on')
    for (const object of inDropOrder(own)) await tx.script(dropStatement(tx, object))
    const options = await tx.all(
      db
        .deleteFrom('options')
        .where(sql<boolean>`substr(name, 1, ${prefix.length}) = ${prefix}`)
        .returning('name'),
    )
    const migrations = await tx.run(db.deleteFrom('plugin_migrations').where('plugin', '=', plugin))
    const jobs = await tx.run(db.deleteFrom('jobs').where('plugin', '=', plugin))
    if (own.length + options.length + migrations.changes + jobs.changes === 0) {
      throw errors.PLUGIN_DATA_NONE(plugin, others.join(', '))
    }
    await tx.changes.touch([EVERYTHING])
    return {
      objects: own.map(({ type, name }) => `${type} ${name}`),
      migrations: migrations.changes,
      jobs: jobs.changes,
      options: options.map(({ name }) => name),
    }
  })
}
