import { definePlugin, type ArgumentChecker } from '../../../kernel/index.ts'
import { checker } from './checker.ts'

export { schemaMistake, schemasMistake, type Dialect } from './check-schema.ts'
export { checkArguments, checkSizes } from './check-arguments.ts'
export { LONG_TEXT_LIMITS, UNLIMITED_TEXT } from './size-limits.ts'
export { closedSchema, withoutRefused } from './closed.ts'
export { namedByRule, ruleErrors, type RuleCode } from './rule-errors.ts'
export { parseTimestamp, readTimestamp } from './timestamps.ts'
export { parseValue, sanitizeValue, validateValue } from './validate.ts'
export { defaultMistake, schemaMistakes } from './mistakes.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Validates values against schemas of arguments (specification 7.1 and 7.2). */
    arguments: ArgumentChecker
  }
}

/**
 * Validates and sanitizes the arguments of requests by their schemas, which `ajv` compiles at the first request of a
 * route.
 */
export default definePlugin({
  name: 'arguments',
  provides: ['arguments'],
  apply({ provide }) {
    provide('arguments', checker)
  },
})
