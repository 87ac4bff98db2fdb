import { createRequire } from 'node:module'
import type AjvCore from 'ajv/dist/core.js'
import type { ErrorObject } from 'ajv/dist/core.js'
import { KEYWORDS, type Entry } from './keywords.ts'
import type { RuleCode } from './rule-errors.ts'
import type { Rules } from './rules.ts'

const require = createRequire(import.meta.url)

/** Why an argument was refused. */
export interface Refusal {
  /** The position of the argument in the set. */
  index: number
  /** The rule that is broken. */
  code: RuleCode
  /** What is wrong; it follows the name of the refused value if `named`. */
  text: string
  named: boolean
  /** Where in the argument the refused value is: empty for the argument itself, else `[0][part]`. */
  path: string
  /** The rules that were tried in turn where none fits, or too many do, and the value that they were tried on. */
  tried?: readonly Rules[]
  value?: unknown
}

/** Checks the arguments that are given, writes their sanitized values into `values`, and returns what is wrong. */
export type Check = (given: Record<string, unknown>, values: Record<string, unknown>) => Refusal[] | null

/**
 * Compiles an argument set to one function. Takes milliseconds, so callers compile at first use and keep the result.
 * @throws PATTERN_UNSUPPORTED when a pattern of a schema cannot be matched in linear time
 */
export function compile(entries: readonly Entry[]): Check {
  const { default: Ajv } = require('ajv/dist/core.js') as typeof AjvCore
  // An instance of its own: ajv holds on to all that it ever compiled, and routes come and go with their plugins.
  const instance = new Ajv({
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    allErrors: true,
    passContext: true,
    // The optimizer takes variables that are assigned to for constants.
    code: { optimize: false },
    keywords: KEYWORDS,
  })
  const validate = instance.compile({ arguments: entries })
  const positions = new Map(entries.map(({ name }, index) => [name, index]))
  return (given, values) => {
    if (validate.call(values, given)) return null
    return (validate.errors ?? []).map((found) => refusal(found, positions))
  }
}

function refusal({ instancePath, message = '', params }: ErrorObject, positions: Map<string, number>): Refusal {
  const [name = '', ...inner] = instancePath
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  const path = inner.map((segment) => `[${segment}]`).join('')
  return {
    index: positions.get(name) ?? 0,
    text: message,
    path,
    ...(params as Pick<Refusal, 'named' | 'code' | 'tried' | 'value'>),
  }
}
