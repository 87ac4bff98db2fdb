import type { Migration } from '../../../../kernel/index.ts'
import type { Store } from '../store.ts'

/** SQL that the databases write differently, as the database at hand writes it. */
export interface SqlWords {
  readonly dialect: 'sqlite' | 'postgres'
  /** Type of a column `id` that the database numbers: `id ${id}`. */
  readonly id: string
  /** Type of whole numbers: IDs of other objects, times, amounts. */
  readonly integer: string
  /** Type of texts, which sort and compare byte by byte. */
  readonly text: string
  /** Prefix of the names of the plugin's tables and indexes: `garden__`. */
  readonly prefix: string
}

/** Runs migrations of plugins. */
export interface Migrations {
  /** Runs those of a plugin that have not run yet; processes that start at once take turns. */
  migrate(plugin: string, migrations: readonly Migration[]): Promise<void>
}

declare module '../../../../kernel/index.ts' {
  interface Migration {
    /** SQL without parameters, of one or several statements: the same for every database, one for each, or made of words. */
    readonly sql?: string | Readonly<Record<SqlWords['dialect'], string>> | ((words: SqlWords) => string)
    /** Does what SQL alone cannot. Runs after `sql`, in the same transaction; `tx` is the store within it. */
    readonly run?: (tx: Store, words: SqlWords) => Promise<void>
  }
  interface Services {
    /**
     * The migrations of plugins. The kernel runs them: name yours in the definition of your plugin.
     */
    migrations: Migrations
  }
}
