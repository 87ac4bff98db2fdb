/**
 * Removes characters of a set from both ends of a text, in linear time; a pattern such as `/-+$/` takes quadratic time.
 * @param marks the characters: `'/'`, `'.-_'`
 */
export function trimMarks(text: string, marks: string): string {
  let begin = 0
  while (begin < text.length && marks.includes(text[begin]!)) begin += 1
  return trimEndMarks(text.slice(begin), marks)
}

/** Removes characters of a set from the end of a text, in linear time. */
export function trimEndMarks(text: string, marks: string): string {
  let end = text.length
  while (end > 0 && marks.includes(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
