type Write = (value: unknown) => string

/**
 * Writes the values of `after` into a JSON text. Everything else keeps its bytes: escapes, key order, spaces, the form of
 * numbers, and members that a later member with the same key replaces.
 * @param json valid JSON
 * @param before the parsed text
 * @param after the new value. Each object, list and primitive that is the one of `before` is unchanged
 * @param write serializes a new value
 */
export function editJson(json: string, before: unknown, after: unknown, write: Write = JSON.stringify): string {
  // PHP escapes all slashes.
  const escapesSlashes = json.includes(String.raw`\/`)
  const styled: Write = (value) => (escapesSlashes ? write(value).replaceAll('/', String.raw`\/`) : write(value))
  const start = json.search(/\S/)
  const end = endOfValue(json, start)
  return json.slice(0, start) + edited(json.slice(start, end), before, after, styled) + json.slice(end)
}

/** @param text a JSON value without spaces around it */
function edited(text: string, before: unknown, after: unknown, write: Write): string {
  if (before === after) return text
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? editedList(text, before, after, write) : write(after)
  }
  return isObject(before) && isObject(after) ? editedObject(text, before, after, write) : write(after)
}

function editedList(text: string, before: readonly unknown[], after: readonly unknown[], write: Write): string {
  return joined(
    text,
    partsOf(text).map(
      ({ head, value, tail }, index) => head + edited(value, before[index], after[index], write) + tail,
    ),
  )
}

function editedObject(
  text: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  write: Write,
): string {
  const parts = partsOf(text).map((part) => ({ ...part, key: JSON.parse(part.name) as string }))
  const last = new Map(parts.map(({ key }, index) => [key, index]))
  const members = parts.flatMap(({ head, key, value, tail }, index) => {
    if (!Object.hasOwn(after, key)) return []
    const isShadowed = last.get(key) !== index
    return [head + (isShadowed ? value : edited(value, before[key], after[key], write)) + tail]
  })
  for (const [key, value] of Object.entries(after)) {
    if (!last.has(key)) members.push(`${write(key)}:${write(value)}`)
  }
  return joined(text, members)
}

function joined(text: string, parts: readonly string[]): string {
  return text[0]! + parts.join(',') + text.at(-1)!
}

/** An item of a list or a member of an object, in three texts without its comma. */
interface Part {
  /** Spaces, and in an object the key and the colon. */
  readonly head: string
  readonly value: string
  /** Spaces. */
  readonly tail: string
  /** The key as JSON; `''` in a list. */
  readonly name: string
}

/** @param text a list or an object */
function partsOf(text: string): Part[] {
  const parts: Part[] = []
  const last = text.length - 1
  for (let at = 1; ; at += 1) {
    let start = afterSpaces(text, at)
    // An empty list or object.
    if (start === last) return parts
    let name = ''
    if (text[0] === '{') {
      const end = endOfString(text, start)
      name = text.slice(start, end)
      start = afterSpaces(text, afterSpaces(text, end) + 1)
    }
    const end = endOfValue(text, start)
    const next = afterSpaces(text, end)
    parts.push({ head: text.slice(at, start), value: text.slice(start, end), tail: text.slice(end, next), name })
    if (next === last) return parts
    at = next
  }
}

function afterSpaces(text: string, at: number): number {
  return indexOf(/[^ \t\r\n]/g, text, at)
}

/** Returns the index after the JSON value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start)
  if (text[start] !== '{' && text[start] !== '[') return indexOf(/[\s,\]}]/g, text, start)
  let depth = 0
  for (let at = start; ;) {
    const mark = text[at]
    if (mark === '"') at = endOfString(text, at)
    else {
      depth += mark === '{' || mark === '[' ? 1 : -1
      at += 1
      if (depth === 0) return at
    }
    at = indexOf(/["{}[\]]/g, text, at)
  }
}

/** Returns the index after the JSON string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 2) {
    at = indexOf(/["\\]/g, text, at)
    if (text[at] !== '\\') return at + 1
  }
}

/** Returns the index of the first match at or after `from`; without a match the length of the text. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
