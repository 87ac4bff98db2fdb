import { defineErrors, sentence } from '../../../../kernel/index.ts'

export const errors = defineErrors({
  MIGRATION_INVALID: (plugin: string, name: string, reason: string) =>
    `The migration ${name} of the plugin ${plugin} ${sentence(reason)}`,
  MIGRATION_ENDS_TRANSACTION: (migration: string, plugin: string, statement: string) =>
    `The migration ${migration} of the plugin ${plugin} contains "${statement}": remove it, since each migration runs in a separate transaction that is committed after it.`,
  MIGRATION_FAILED: (migration: string, plugin: string, reason: string) =>
    `The migration ${migration} of the plugin ${plugin} failed and was rolled back: ${reason}`,
  MIGRATION_NAME_TAKEN: (migration: string, plugin: string) =>
    `Two migrations of the plugin ${plugin} are named ${migration}: rename the later one.`,
  MIGRATION_PREFIX_TAKEN: (plugin: string, prefix: string, other: string) =>
    `Tables of the plugin ${plugin} would begin with ${prefix}, like the tables of ${other}: rename the plugin.`,
  MIGRATION_NAME_FOREIGN: (migration: string, plugin: string, created: string, prefix: string) =>
    `The migration ${migration} of the plugin ${plugin} creates the ${created}: start its name with ${prefix}, like all names of the plugin.`,
  MIGRATION_DROPS_FOREIGN: (migration: string, plugin: string, dropped: string, prefix: string) =>
    `The migration ${migration} of the plugin ${plugin} drops the ${dropped}, which does not belong to the plugin: it can only drop names that start with ${prefix}.`,
  MIGRATION_CHANGED: (migration: string, plugin: string) =>
    `The migration ${migration} of the plugin ${plugin} has already run here with other SQL: restore it, and add another migration at the end for the change. During development, svc plugins remove ${plugin} --data drops the plugin's tables.`,
  MIGRATION_MOVED: (migration: string, plugin: string, expected: string) =>
    `The plugin ${plugin} has the migration ${migration} at the place where ${expected} has run here: restore the order, and add new migrations at the end.`,
  MIGRATION_GONE: (migration: string, plugin: string) =>
    `The migration ${migration} of the plugin ${plugin} has run here, but the plugin no longer contains it: use the version of the plugin that last opened the database, or a later one.`,
  PLUGIN_DATA_NONE: (plugin: string, others: string) =>
    `No plugin ${plugin} has tables in this database.${others === '' ? '' : ` Plugins with tables: ${others}.`}`,
})
