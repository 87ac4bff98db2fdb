/** Whether a database holds a text: neither holds the character that ends texts, nor half a character. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** A text without what no database holds. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
