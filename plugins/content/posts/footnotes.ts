import type { PluginContext, RestRequest } from '../../../kernel/index.ts'

/** The meta of a post in which the block editor keeps its footnotes, a list in JSON. */
const FOOTNOTES_KEY = 'footnotes'

/** Registers footnotes for the types whose posts are edited as blocks, have meta, and keep both in revisions. */
export function registerFootnotes({ services, since }: PluginContext): void {
  if (!since('6.3')) return
  const { contentTypes, meta } = services
  const sanitize = footnotesFilter(services)
  for (const { name } of contentTypes.exposed()) {
    if (!['editor', 'custom-fields', 'revisions'].every((feature) => contentTypes.supports(name, feature))) continue
    meta.register('post', FOOTNOTES_KEY, {
      subtype: name,
      type: 'string',
      single: true,
      show_in_rest: true,
      revisions_enabled: true,
      sanitize_callback: (value, _key, _objectType, _subtype, request) => sanitize(String(value), request),
      override: true,
    })
  }
}

/** Footnotes as a user may write them: texts like those of posts; of others nothing but a list is kept. */
function footnotesFilter({ capabilities, html }: PluginContext['services']) {
  return (text: string, { user }: RestRequest): string => {
    if (text === '' || capabilities.can(user, 'unfiltered_html')) return text
    const notes = parsed(text)
    if (!Array.isArray(notes)) return ''
    const kept = notes.flatMap((note: unknown) => {
      if (!isNote(note)) return []
      const id = String(note.id)
        .toLowerCase()
        .replace(/[^a-z0-9_-]/g, '')
      return [{ id, content: html.filter(String(note.content), 'post') }]
    })
    // As other writers of this list write it.
    return JSON.stringify(kept).replaceAll('/', '\\/')
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Whether something is a footnote: it has an ID and a text. */
function isNote(value: unknown): value is { id: unknown; content: unknown } {
  if (typeof value !== 'object' || value === null) return false
  const { id, content } = value as { id?: unknown; content?: unknown }
  return Boolean(id) && Boolean(content)
}
