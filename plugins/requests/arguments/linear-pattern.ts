import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import { defineErrors } from '../../../kernel/index.ts'

const { PATTERN_UNSUPPORTED } = defineErrors({
  PATTERN_UNSUPPORTED: (pattern: string, why: string) =>
    `The pattern ${pattern} cannot be matched in linear time (${why}): write it without look-around and back-references.`,
})

/** A pattern that matches in time proportional to the text. */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean
}

const require = createRequire(import.meta.url)

/**
 * Compiles the `pattern` of a schema with an engine that never backtracks, so that no text can hang the server. V8's
 * own linear engine is no choice: it needs a process-wide switch and knows neither Unicode nor `{1,1000}`.
 * @throws PATTERN_UNSUPPORTED when the pattern is malformed, or uses look-around or back-references
 */
export function linearPattern(source: string): LinearPattern {
  // Loaded with the first pattern: most sites declare none.
  const { RE2JS } = require('re2js') as typeof Re2
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch (cause) {
    throw PATTERN_UNSUPPORTED(source, cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
