/** A part of HTML that the filter removed: `<script>`, `onclick=`, `style=`, `javascript:`. */
export type LostPart = string

/** Tags with their attributes, without comments and texts. */
const TAG = /<([a-z][a-z0-9-]{0,30})(\s[^<>]*)?>/gi
const ATTRIBUTE = /\s([a-z][a-z0-9:_-]{0,40})\s*(?==)/gi
const REFUSED_URL = /=\s*["']?\s*((?:javascript|vbscript|data):)/gi

/** Returns the parts of HTML that are missing after the filter, with the number of each. */
export function lossesOf(before: string, after: string): Map<LostPart, number> {
  const losses = partsOf(before)
  for (const [part, count] of partsOf(after)) losses.set(part, (losses.get(part) ?? 0) - count)
  for (const [part, count] of losses) if (count <= 0) losses.delete(part)
  return losses
}

/** Counts elements, attributes that a filter can remove, and URLs with refused schemes. */
function partsOf(html: string): Map<LostPart, number> {
  const parts = new Map<LostPart, number>()
  const add = (part: LostPart) => parts.set(part, (parts.get(part) ?? 0) + 1)
  for (const [, name = '', attributes = ''] of html.matchAll(TAG)) {
    add(`<${name.toLowerCase()}>`)
    for (const [, attribute = ''] of attributes.matchAll(ATTRIBUTE)) add(`${attribute.toLowerCase()}=`)
    for (const [, scheme = ''] of attributes.matchAll(REFUSED_URL)) add(scheme.toLowerCase())
  }
  return parts
}
