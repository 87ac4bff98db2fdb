import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  SETTING_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the setting ${name} wrongly: ${sentence(reason)}`,
  OPTION_NOT_JSON: [
    500,
    (name: string) => `The option ${name} cannot be stored: its value has no JSON representation.`,
  ],
  OPTION_NAME_TOO_LONG: [
    500,
    (name: string, max: number) => `The option name ${name.slice(0, 40)}… is too long: the limit is ${max} characters.`,
  ],
  OPTION_DERIVED: [500, (name: string) => `The option ${name} cannot be set: it is derived from the config.`],
  rest_invalid_stored_value: [
    400,
    (name: string) => `The stored value of ${name} is invalid and is returned as null. Set a valid value.`,
  ],
})
