/** Maximum number of values per tag: more readings of one path are not tried. */
const MAX_VALUES = 20
/** Number of digits of the tags of dates. */
const DIGITS: Readonly<Record<string, number>> = { year: 4, monthnum: 2, day: 2, hour: 2, minute: 2, second: 2 }
const MAX_ID_DIGITS = 15

/** The values that each tag of a structure can have in a path. */
export type TagValues = ReadonlyMap<string, readonly string[]>

/**
 * Matches a path with the URL structure of posts. Takes linear time in the length of the path: it computes the
 * positions that each part can reach from the left and from the right, and the values of a tag lie between them.
 * @param parts literal texts and tag names, alternating; the slash at the end is ignored
 * @param path in the normal form of names, without a slash at its end
 * @returns null if the path does not have the structure
 */
export function matchStructure(parts: readonly string[], path: string): TagValues | null {
  const matchers = parts.map((part, at) =>
    at % 2 === 1 ? tagMatcher(part) : literal(at === parts.length - 1 ? part.replace(/\/$/, '') : part),
  )
  const length = path.length
  const fromLeft = [positions(length, 0)]
  for (const matcher of matchers) fromLeft.push(matcher.ends(path, fromLeft.at(-1)!))
  if (fromLeft.at(-1)![length] === 0) return null
  const fromRight = [positions(length, length)]
  for (const matcher of matchers.toReversed()) fromRight.unshift(matcher.starts(path, fromRight[0]!))
  const values = new Map<string, string[]>()
  for (const [at, matcher] of matchers.entries()) {
    if (at % 2 === 0) continue
    const isStart = (from: number) => fromLeft[at]![from] === 1 && fromRight[at]![from] === 1
    const found = valuesBetween(path, matcher, isStart, fromRight[at + 1]!)
    values.set(parts[at]!, [...new Set([...(values.get(parts[at]!) ?? []), ...found])])
  }
  return values
}

/** A set of positions in a path, one byte per position. */
type Positions = Uint8Array

interface Matcher {
  /** Positions at which a value ends that starts at one of `starts`. */
  ends(path: string, starts: Positions): Positions
  /** Positions at which a value starts that ends at one of `ends`. */
  starts(path: string, ends: Positions): Positions
  /** Whether a value that starts at `from` can contain the character at `at`. */
  accepts(path: string, from: number, at: number): boolean
  /** Minimum length of a value. */
  readonly least: number
}

function positions(length: number, ...set: readonly number[]): Positions {
  const all = new Uint8Array(length + 1)
  for (const at of set) all[at] = 1
  return all
}

function literal(part: string): Matcher {
  const text = part.toLowerCase()
  const move = (path: string, known: Positions, offset: number) => {
    const moved = positions(path.length)
    for (let from = 0; from + text.length <= path.length; from += 1) {
      const [at, to] = offset > 0 ? [from, from + text.length] : [from + text.length, from]
      if (known[at] === 1 && path.startsWith(text, from)) moved[to] = 1
    }
    return moved
  }
  return {
    ends: (path, starts) => move(path, starts, 1),
    starts: (path, ends) => move(path, ends, -1),
    accepts: () => true,
    least: text.length,
  }
}

function tagMatcher(tag: string): Matcher {
  if (Object.hasOwn(DIGITS, tag)) return digits(DIGITS[tag]!, DIGITS[tag]!)
  if (tag === 'post_id') return digits(1, MAX_ID_DIGITS)
  return text(tag === 'category')
}

const isDigit = (path: string, at: number) => path[at]! >= '0' && path[at]! <= '9'

/** Matches numbers. */
function digits(least: number, most: number): Matcher {
  const accepts = (path: string, from: number, at: number) => at - from < most && isDigit(path, at)
  const spans = (path: string, visit: (from: number, to: number) => void) => {
    for (let from = 0; from < path.length; from += 1)
      for (let at = from; at < path.length && accepts(path, from, at); at += 1)
        if (at + 1 - from >= least) visit(from, at + 1)
  }
  const move = (path: string, isFrom: (from: number, to: number) => number | null) => {
    const moved = positions(path.length)
    spans(path, (from, to) => {
      const at = isFrom(from, to)
      if (at !== null) moved[at] = 1
    })
    return moved
  }
  return {
    ends: (path, starts) => move(path, (from, to) => (starts[from] === 1 ? to : null)),
    starts: (path, ends) => move(path, (from, to) => (ends[to] === 1 ? from : null)),
    accepts,
    least,
  }
}

/** Matches names of at least one character. @param isNested whether they contain slashes, but not at their start */
function text(isNested: boolean): Matcher {
  return {
    ends(path, starts) {
      const ends = positions(path.length)
      let isOpen = false
      for (let at = 0; at < path.length; at += 1) {
        if (path[at] === '/') isOpen &&= isNested
        else isOpen ||= starts[at] === 1
        if (isOpen) ends[at + 1] = 1
      }
      return ends
    },
    starts(path, ends) {
      const starts = positions(path.length)
      let isOpen = false
      for (let at = path.length - 1; at >= 0; at -= 1) {
        isOpen = (isOpen || ends[at + 1] === 1) && (isNested || path[at] !== '/')
        if (isOpen && path[at] !== '/') starts[at] = 1
      }
      return starts
    },
    accepts: (path, from, at) => path[at] !== '/' || (isNested && at > from),
    least: 1,
  }
}

function valuesBetween(path: string, matcher: Matcher, isStart: (from: number) => boolean, ends: Positions): string[] {
  const values: string[] = []
  for (let from = 0; from < path.length; from += 1) {
    if (!isStart(from)) continue
    for (let at = from; at < path.length && matcher.accepts(path, from, at); at += 1) {
      if (at + 1 - from >= matcher.least && ends[at + 1] === 1) values.push(path.slice(from, at + 1))
      if (values.length === MAX_VALUES) return values
    }
  }
  return values
}
