import { defineErrors, sentence } from '../../../../kernel/index.ts'

export const errors = defineErrors({
  MIGRATION_INVALID: (plugin: string, name: string, why: string) =>
    `The migration ${name} of the plugin ${plugin} ${sentence(why)}`,
  MIGRATION_ENDS_TRANSACTION: (migration: string, plugin: string, statement: string) =>
    `The migration ${migration} of the plugin ${plugin} says "${statement}": it runs in a transaction of its own, which is committed behind it.`,
  MIGRATION_FAILED: (migration: string, plugin: string, why: string) =>
    `The migration ${migration} of the plugin ${plugin} failed, and has changed nothing: ${why}`,
  MIGRATION_NAME_TAKEN: (migration: string, plugin: string) =>
    `Two migrations of the plugin ${plugin} are named ${migration}: rename the later one.`,
  MIGRATION_PREFIX_TAKEN: (plugin: string, prefix: string, other: string) =>
    `Tables of the plugin ${plugin} would begin with ${prefix}, as those of ${other} do: rename the plugin.`,
  MIGRATION_NAME_FOREIGN: (migration: string, plugin: string, made: string, prefix: string) =>
    `The migration ${migration} of the plugin ${plugin} makes the ${made}: let its name begin with ${prefix}, as all that belongs to the plugin.`,
  MIGRATION_DROPS_FOREIGN: (migration: string, plugin: string, dropped: string, prefix: string) =>
    `The migration ${migration} of the plugin ${plugin} removes the ${dropped}, which belongs to others: names of its own begin with ${prefix}.`,
  MIGRATION_CHANGED: (migration: string, plugin: string) =>
    `The migration ${migration} of the plugin ${plugin} has run here with other SQL: put it back as it was, and let another one behind the last change what it made. While you write the plugin, svc plugins remove ${plugin} --data drops its tables.`,
  MIGRATION_MOVED: (migration: string, plugin: string, expected: string) =>
    `The plugin ${plugin} has the migration ${migration} where ${expected} has run here: put them back in that order, and new ones behind the last.`,
  MIGRATION_GONE: (migration: string, plugin: string) =>
    `The migration ${migration} of the plugin ${plugin} has run here, but the plugin does not have it: use the version of the plugin that the database was last opened with, or a later one.`,
  PLUGIN_DATA_NONE: (plugin: string, others: string) =>
    `No plugin ${plugin} has tables in this database.${others === '' ? '' : ` These have: ${others}.`}`,
})
