/**
 * A text without the characters of a set at its beginning and its end. In linear time: a pattern such as `/-+$/` looks at
 * a row of them again from each of its places.
 * @param marks each character alone: `'/'`, `'.-_'`
 */
export function trimMarks(text: string, marks: string): string {
  let begin = 0
  while (begin < text.length && marks.includes(text[begin]!)) begin += 1
  return trimEndMarks(text.slice(begin), marks)
}

/** The same at the end alone. */
export function trimEndMarks(text: string, marks: string): string {
  let end = text.length
  while (end > 0 && marks.includes(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
