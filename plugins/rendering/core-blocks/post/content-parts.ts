const BREAK = '<!--nextpage-->'

/** Splits content at `<!--nextpage-->`. @param mark prefix of block comments */
export function contentParts(content: string, mark: string): string[] {
  if (!content.includes(BREAK)) return [content]
  const pattern = new RegExp(`<!-- /?${mark}:nextpage (?:/)?-->\\s?`, 'g')
  return content.replace(pattern, '').split(BREAK)
}

/** Removes the comment of a `more` block at the end of content. @param mark prefix of block comments */
export function withoutMoreComment(content: string, mark: string): string {
  return content.replace(new RegExp(`<!-- ${mark}:more[^>]{0,500}-->\\s*$`), '\n')
}
