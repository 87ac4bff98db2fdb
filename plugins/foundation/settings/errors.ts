import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  SETTING_INVALID: (plugin: string, name: string, why: string) =>
    `${plugin} registers the setting ${name} wrongly: ${sentence(why)}`,
  OPTION_NOT_JSON: [500, (name: string) => `The option ${name} cannot be stored: JSON has no such value.`],
  OPTION_NAME_TOO_LONG: [
    500,
    (name: string, longest: number) =>
      `The option name ${name.slice(0, 40)}… is too long: a name has ${longest} characters at most.`,
  ],
  OPTION_DERIVED: [500, (name: string) => `The option ${name} cannot be set: it follows from the config.`],
  rest_invalid_stored_value: [
    400,
    (name: string) => `The stored value of ${name} is not valid, so it is shown as null: give it a valid one instead.`,
  ],
})
