import { defineErrors } from '../../../../kernel/index.ts'

export const errors = defineErrors({
  TRANSFER_NOT_EMPTY: [
    409,
    (table: string) =>
      `The target is not empty: its table ${table} has rows. Name an empty database; a transfer never replaces content.`,
  ],
  TRANSFER_TABLE_UNKNOWN: [
    409,
    (table: string, plugin: string) =>
      `No running plugin creates the table ${table}. Switch its plugin on, or drop its data with svc plugins remove ${plugin} --data.`,
  ],
  TRANSFER_COLUMNS_DIFFER: [
    409,
    (table: string, source: string, target: string) =>
      `The table ${table} has the columns ${source} in the source, but ${target} in the target. Use the version of its plugin that last opened the source.`,
  ],
  TRANSFER_DIFFERS: [
    500,
    (table: string, source: number, target: number) =>
      `The table ${table} differs after the transfer: ${source} rows in the source, ${target} in the target. The target is left without content.`,
  ],
})
