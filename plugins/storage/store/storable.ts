/** Whether databases can store a text: PostgreSQL stores no NUL characters, and UTF-8 no lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Returns a text without NUL characters and lone surrogates. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
