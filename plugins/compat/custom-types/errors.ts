import { defineErrors } from '../../public.ts'

export const errors = defineErrors({
  CUSTOM_TYPE_INVALID: [
    400,
    (name: string) =>
      `"${name}" is not a valid name. Use lower-case letters, digits, "_" and "-": at most 20 for a type, 32 for a taxonomy.`,
  ],
  CUSTOM_TYPE_TAKEN: [400, (name: string) => `A plugin registers the name "${name}". Choose another name.`],
  CUSTOM_TYPE_UNKNOWN: [404, (name: string) => `No draft of a type or taxonomy has the name "${name}".`],
})
