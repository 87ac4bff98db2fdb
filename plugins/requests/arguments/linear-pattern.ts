import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import { defineErrors } from '../../../kernel/index.ts'

const { PATTERN_UNSUPPORTED } = defineErrors({
  PATTERN_UNSUPPORTED: (pattern: string, reason: string) =>
    `The pattern ${pattern} cannot be matched in linear time (${reason}). Write it without look-around and back-references.`,
})

/** A pattern that matches in time linear in the length of the text. */
export interface LinearPattern {
  /** Returns whether the pattern matches anywhere in the text. */
  test(text: string): boolean
}

const require = createRequire(import.meta.url)

/**
 * Compiles the `pattern` of a schema with an engine that never backtracks, so that no text can block the server. V8's
 * own linear engine needs a process-wide flag and supports neither Unicode nor `{1,1000}`.
 * @throws PATTERN_UNSUPPORTED if the pattern is malformed, or uses look-around or back-references
 */
export function linearPattern(source: string): LinearPattern {
  // Loaded with the first pattern: most sites have none.
  const { RE2JS } = require('re2js') as typeof Re2
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch (cause) {
    throw PATTERN_UNSUPPORTED(source, cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
