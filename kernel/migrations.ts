/** The store within the transaction of a migration. The plugin that provides the database merges its own in. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the merge target of the store
export interface MigrationStore {}

/** How the database at hand writes what databases write differently. */
export interface SqlWords {
  readonly dialect: 'sqlite' | 'postgres'
  /** Type of a column `id` that the database numbers: `id ${id}`. */
  readonly id: string
  /** Type of whole numbers: IDs of other objects, times, amounts. */
  readonly integer: string
  /** Type of texts, which sort and compare byte by byte. */
  readonly text: string
  /** What the names of the plugin's tables and indexes begin with: `garden__`. */
  readonly prefix: string
}

/**
 * One step that makes or changes a plugin's tables. It runs once for each database, in a transaction of its own. What has
 * run is not changed any more: further steps go behind it.
 */
export interface Migration {
  /** Tells it from the plugin's other steps. */
  readonly name: string
  /** SQL without parameters, of one or several statements: the same for every database, one for each, or made of words. */
  readonly sql?: string | Readonly<Record<SqlWords['dialect'], string>> | ((words: SqlWords) => string)
  /** Does what SQL alone cannot. Runs behind `sql`, in the same transaction. */
  readonly run?: (tx: MigrationStore, words: SqlWords) => Promise<void>
}

/** Runs migrations of plugins. The store provides it. */
export interface Migrations {
  /** Runs those of a plugin that have not run yet; processes that start at once take turns. */
  migrate(plugin: string, migrations: readonly Migration[]): Promise<void>
}

declare module './plugin.ts' {
  interface Services {
    /**
     * The migrations of plugins. The kernel runs them: name yours in the definition of your plugin.
     */
    migrations: Migrations
  }
}
