const BREAK = '<!--nextpage-->'

/** The parts of a content, as writers have parted it by `<!--nextpage-->`. @param mark what block comments begin with */
export function contentParts(content: string, mark: string): string[] {
  if (!content.includes(BREAK)) return [content]
  const around = new RegExp(`<!-- /?${mark}:nextpage (?:/)?-->\\s?`, 'g')
  return content.replace(around, '').split(BREAK)
}
