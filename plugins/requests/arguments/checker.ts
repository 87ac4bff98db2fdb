import type { ArgumentChecker, Arguments } from '../../../kernel/index.ts'
import { checkArguments } from './check-arguments.ts'
import { schemasMistake } from './check-schema.ts'
import { defaultMistakeIn } from './mistakes.ts'
import { sanitizeValue, validateValue } from './validate.ts'

/** Validates arguments as specified in 7.1 and 7.2. */
export const checker: ArgumentChecker = {
  check: checkArguments,
  read: (value, schema, name) =>
    validateValue(value, schema, name) === true ? sanitizeValue(value, schema, name) : value,
  mistakeIn: (schemas, noun) =>
    noun === 'option'
      ? schemasMistake(schemas, noun, 'option')
      : (schemasMistake(schemas, noun) ?? defaultMistakeIn(schemas as Arguments, noun)),
}
