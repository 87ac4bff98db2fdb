import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  OPTIONAL_PLUGIN_UNKNOWN: [
    400,
    (name: string, known: string) =>
      `"${name}" is not an optional plugin that the config leaves open. These are: ${known}.`,
  ],
})
