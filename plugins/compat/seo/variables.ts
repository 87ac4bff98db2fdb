/** Returns the value of a variable; undefined for an unknown one. */
export type Resolve = (name: string, argument: string) => Promise<string | undefined>

/** `%title%`, `%%title%%`, `%customfield(color)%`. Bounded, so that a template takes linear time. */
const VARIABLE = /%%?([a-z0-9_]{1,60})(?:\(([^()%]{0,100})\))?%%?/gi
/** Maximum characters of a template. */
const MAX_TEMPLATE_LENGTH = 2000

/**
 * Replaces the variables of a template, in the form of Yoast SEO (`%%title%%`) or of Rank Math (`%title%`). Unknown
 * variables are removed; separators at the ends and next to each other are merged.
 * @param separator value of `%sep%`
 */
export async function replaceVariables(template: string, separator: string, resolve: Resolve): Promise<string> {
  const text = template.slice(0, MAX_TEMPLATE_LENGTH)
  if (!text.includes('%')) return text.trim()
  const found = [...text.matchAll(VARIABLE)]
  const values = await Promise.all(
    found.map(async ([, name = '', argument = '']) =>
      name.toLowerCase() === 'sep' ? SEPARATOR : ((await resolve(name.toLowerCase(), argument)) ?? ''),
    ),
  )
  let at = 0
  const replaced = text.replace(VARIABLE, () => values[at++]!)
  const parts = replaced.split(SEPARATOR).map((part) => part.replace(/\s+/g, ' ').trim())
  return parts.filter((part) => part !== '').join(` ${separator} `)
}

/** Stands for the separator until all variables are replaced. No text contains it. */
const SEPARATOR = '\0'
