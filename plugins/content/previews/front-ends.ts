import { hint } from '../../library/suggestions/index.ts'
import { errors } from './errors.ts'

/** Placeholders that a URL template can contain. */
const PLACEHOLDERS = ['token', 'id', 'type', 'rest_base', 'slug'] as const
type Placeholder = (typeof PLACEHOLDERS)[number]

/** A site that shows previews. */
export interface FrontEnd {
  /** '' for the REST API itself, if no front end is configured. */
  readonly name: string
  /** Origin of its pages. */
  readonly origin: string
  /** URL of a preview with placeholders; null for the URL of the post in the REST API. */
  readonly template: string | null
}

/** The origin up to the path: placeholders are not allowed in the host. */
const ORIGIN = /^https?:\/\/[a-z0-9.:[\]-]+(?=[/?#])/i
const PLACEHOLDER = /\{([^{}]*)\}/g

/**
 * Reads the front ends from the config, in its order.
 * @param templates URL templates by front end name
 * @throws PREVIEWS_FRONT_END_INVALID
 */
export function readFrontEnds(templates: Readonly<Record<string, string>>): FrontEnd[] {
  return Object.entries(templates).map(([name, template]) => {
    const mistake = templateMistake(template)
    if (mistake !== null) throw errors.PREVIEWS_FRONT_END_INVALID(name, mistake)
    return { name, template, origin: new URL(ORIGIN.exec(template)![0]).origin }
  })
}

/** Returns the URL of a preview, with each value escaped. */
export function fillTemplate(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template.replace(PLACEHOLDER, (_, name: Placeholder) => encodeURIComponent(values[name].toWellFormed()))
}

/** Returns the mistake in a URL template as the end of a sentence, or null. */
function templateMistake(template: string): string | null {
  const [origin] = ORIGIN.exec(template) ?? []
  if (origin === undefined || !URL.canParse(origin) || !URL.canParse(template))
    return 'does not have a URL such as https://front.example/preview?token={token}&id={id}'
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  const unknown = names.find((name) => !(PLACEHOLDERS as readonly string[]).includes(name))
  if (unknown !== undefined) return `has the unknown placeholder {${unknown}} in its URL${hint(unknown, PLACEHOLDERS)}`
  return names.includes('token') ? null : 'lacks the placeholder {token} in its URL'
}
