import { applyFilter, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { plainText } from '../../rendering/html/index.ts'

/** The texts of the site that every page shows, as plain text. */
export interface SiteTexts {
  readonly title: string
  readonly tagline: string
  /** With its country: `en_US`. */
  readonly language: string
}

export async function siteTexts({ hooks, services }: PluginContext, scope: RequestCache): Promise<SiteTexts> {
  const set = await services.options.many(['title', 'description', 'language'])
  const text = (value: unknown) => (typeof value === 'string' ? plainText(value) : '')
  const language = await applyFilter(hooks.site_language, text(set.language) || 'en_US', scope)
  return { title: text(set.title), tagline: text(set.description), language }
}
