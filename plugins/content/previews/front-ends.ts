import { hint } from '../../library/suggestions/index.ts'
import { errors } from './errors.ts'

/** What a template may name. */
const PLACEHOLDERS = ['token', 'id', 'type', 'rest_base', 'slug'] as const
type Placeholder = (typeof PLACEHOLDERS)[number]

/** A site that shows previews. */
export interface FrontEnd {
  /** '' for the REST API itself, where no front end is configured. */
  readonly name: string
  /** Scheme and host of its pages. */
  readonly origin: string
  /** URL of a preview with placeholders; null for the URL of the post in the REST API. */
  readonly template: string | null
}

/** Scheme and host, up to where the path begins: a host is no place for what a post is called. */
const ORIGIN = /^https?:\/\/[a-z0-9.:[\]-]+(?=[/?#])/i
const PLACEHOLDER = /\{([^{}]*)\}/g

/**
 * The front ends of the config, in its order.
 * @param templates URLs of their previews, by name
 * @throws PREVIEWS_FRONT_END_INVALID
 */
export function readFrontEnds(templates: Readonly<Record<string, string>>): FrontEnd[] {
  return Object.entries(templates).map(([name, template]) => {
    const why = templateMistake(template)
    if (why !== null) throw errors.PREVIEWS_FRONT_END_INVALID(name, why)
    return { name, template, origin: new URL(ORIGIN.exec(template)![0]).origin }
  })
}

/** The URL of a preview, each value escaped. */
export function fillTemplate(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template.replace(PLACEHOLDER, (_, name: Placeholder) => encodeURIComponent(values[name].toWellFormed()))
}

/** What is wrong with the URL of a front end, as the end of a sentence; null for nothing. */
function templateMistake(template: string): string | null {
  const [origin] = ORIGIN.exec(template) ?? []
  if (origin === undefined || !URL.canParse(origin) || !URL.canParse(template))
    return 'has no URL such as https://front.example/preview?token={token}&id={id}'
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  const unknown = names.find((name) => !(PLACEHOLDERS as readonly string[]).includes(name))
  if (unknown !== undefined) return `names {${unknown}} in its URL${hint(unknown, PLACEHOLDERS)}`
  return names.includes('token') ? null : 'has no {token} in its URL'
}
