import { defineErrors } from '../../../kernel/index.ts'

/** The errors of translations. */
export const errors = defineErrors({
  TRANSLATION_LANGUAGE_INVALID: (name: string) => `"${name}" is not a language. Write it as de or pt-BR.`,
  TRANSLATIONS_INVALID: [500, (file: string, reason: string) => `The translations in ${file} are invalid: ${reason}.`],
})
