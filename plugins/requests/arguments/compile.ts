import { createRequire } from 'node:module'
import type AjvCore from 'ajv/dist/core.js'
import type { ErrorObject } from 'ajv/dist/core.js'
import { KEYWORDS, type Entry } from './keywords.ts'
import type { RuleCode } from './rule-errors.ts'
import type { Rules } from './rules.ts'

const require = createRequire(import.meta.url)

/** Why an argument is invalid. */
export interface Refusal {
  /** Position of the argument in the compiled set. */
  index: number
  /** Code of the broken rule. */
  code: RuleCode
  /** Error message; if `named`, it follows the name of the invalid value. */
  text: string
  named: boolean
  /** Path of the invalid value inside the argument: empty for the argument itself, otherwise `[0][part]`. */
  path: string
  /** Alternatives that were tried when none or too many match, and the tested value. */
  tried?: readonly Rules[]
  value?: unknown
}

/**
 * Checks the given arguments, writes their sanitized values into `values`, and returns the refusals; null if all are
 * valid.
 */
export type Check = (input: Record<string, unknown>, values: Record<string, unknown>) => Refusal[] | null

/**
 * Compiles a set of arguments to one function. Takes milliseconds, so callers compile at first use and cache the
 * result.
 * @throws PATTERN_UNSUPPORTED if a pattern of a schema cannot be matched in linear time
 */
export function compile(entries: readonly Entry[]): Check {
  const { default: Ajv } = require('ajv/dist/core.js') as typeof AjvCore
  // A separate instance per set: ajv never releases compiled schemas, and routes are removed together with their
  // plugins.
  const instance = new Ajv({
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    allErrors: true,
    passContext: true,
    // The optimizer would treat assigned variables as constants.
    code: { optimize: false },
    keywords: KEYWORDS,
  })
  const validate = instance.compile({ arguments: entries })
  const positions = new Map(entries.map(({ name }, index) => [name, index]))
  return (input, values) => {
    if (validate.call(values, input)) return null
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
