import { errors } from '../errors.ts'
import { currentOwner } from '../ownership.ts'

/** The segments of a pattern: literal segments in lower case, null for variable ones. */
export type Segments = readonly (string | null)[]

/**
 * Creates the regular expression for the whole path of a route.
 * @throws ROUTE_INVALID if the pattern is not a regular expression
 */
export function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(`^${pattern.replaceAll('(?P<', '(?<')}$`, 'i')
  } catch (cause) {
    const reason = (cause as Error).message.split(': ').at(-1)
    throw errors.ROUTE_INVALID(pattern, currentOwner().name, `its pattern is not a regular expression (${reason})`, {
      cause,
    })
  }
}

/** The parts of a pattern: an escape, a character class, or a single character. */
const PARTS = /\\.|\[\^?(?:\\.|[^\]\\])+\]|[^]/g
/** Escapes that cannot match a slash. */
const HARMLESS_ESCAPE = /^\\[dws\-.()[\]{}+*?^$|\\]$/

/** A quantifier, which applies to the part before it. */
const QUANTIFIER = /^[?*+{]/

/** Splits a pattern into segments. If a part can match a slash (`spans`), returns only the segments before it. */
export function segmentsOf(pattern: string): { segments: Segments; spans: boolean } {
  const segments: (string | null)[] = []
  let literal = ''
  let varies = false
  let depth = 0
  const close = () => {
    segments.push(varies ? null : literal.toLowerCase())
    literal = ''
    varies = false
  }
  const parts = pattern.match(PARTS) ?? []
  for (const [at, part] of parts.entries()) {
    // Each alternative is a whole pattern.
    if (part === '|' && depth === 0) return { segments: [], spans: true }
    if (part === '/' && depth === 0 && !QUANTIFIER.test(parts[at + 1] ?? '')) close()
    else if (part === '/' || part === '.') return { segments, spans: true }
    else if (part.length > 1) {
      const slashes = part.startsWith('[') ? new RegExp(part, 'i').test('/') : !HARMLESS_ESCAPE.test(part)
      if (slashes) return { segments, spans: true }
      varies = true
    } else if ('()?*+{}|^$'.includes(part)) {
      depth += part === '(' ? 1 : part === ')' ? -1 : 0
      varies = true
    } else literal += part
  }
  close()
  return { segments, spans: false }
}
