import type { Migration } from '../../../../kernel/index.ts'
import type { Store } from '../store.ts'

/** SQL fragments that differ between databases, for the database in use. */
export interface SqlWords {
  readonly dialect: 'sqlite' | 'postgres'
  /** Type of a column `id` with generated IDs: `id ${id}`. */
  readonly id: string
  /** Type of integers: IDs of other objects, times, amounts. */
  readonly integer: string
  /** Type of texts that sort and compare byte by byte. */
  readonly text: string
  /** Prefix of the names of the plugin's tables and indexes: `garden__`. */
  readonly prefix: string
}

/** Runs migrations of plugins. */
export interface Migrations {
  /** Runs the migrations of a plugin that have not run yet. Processes that start at the same time take turns. */
  migrate(plugin: string, migrations: readonly Migration[]): Promise<void>
  /** Runs the migrations of all running plugins on another database. */
  createTables(store: Store): Promise<void>
}

declare module '../../../../kernel/index.ts' {
  interface Migration {
    /**
     * SQL without parameters, of one or several statements: the same for every database, one text per database, or a
     * function.
     */
    readonly sql?: string | Readonly<Record<SqlWords['dialect'], string>> | ((words: SqlWords) => string)
    /** Changes that SQL alone cannot make. Runs after `sql`, in the same transaction; `tx` is the store within it. */
    readonly run?: (tx: Store, words: SqlWords) => Promise<void>
  }
  interface Services {
    /** Runs the migrations of plugins. The kernel calls it: list your migrations in the definition of your plugin. */
    migrations: Migrations
  }
}
