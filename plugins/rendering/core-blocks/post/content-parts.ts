const BREAK = '<!--nextpage-->'

/** Splits content at `<!--nextpage-->`. @param mark prefix of block comments */
export function contentParts(content: string, mark: string): string[] {
  if (!content.includes(BREAK)) return [content]
  const pattern = new RegExp(`<!-- /?${mark}:nextpage (?:/)?-->\\s?`, 'g')
  return content.replace(pattern, '').split(BREAK)
}
