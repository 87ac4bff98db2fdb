import type { PluginContext, RestRequest } from '../../../kernel/index.ts'

/** Meta key under which the block editor stores the footnotes of a post, as a JSON list. */
const FOOTNOTES_KEY = 'footnotes'

/** Registers footnotes for types that support the editor, custom fields and revisions. */
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
      show_ui: false,
      revisions_enabled: true,
      sanitize_callback: (value, _key, _objectType, _subtype, request) => sanitize(String(value), request),
      override: true,
    })
  }
}

/** Filters footnotes like post content for users without `unfiltered_html`; any JSON but a list is dropped. */
function footnotesFilter({ capabilities, html }: PluginContext['services']) {
  return (text: string, { user }: RestRequest): string => {
    if (text === '' || capabilities.can(user, 'unfiltered_html')) return text
    const notes = parseJson(text)
    if (!Array.isArray(notes)) return ''
    const sanitized = notes.flatMap((note: unknown) => {
      if (!isNote(note)) return []
      const id = String(note.id)
        .toLowerCase()
        .replace(/[^a-z0-9_-]/g, '')
      return [{ id, content: html.filter(String(note.content), 'post') }]
    })
    // Slashes are escaped as in the output of other writers of this list.
    return JSON.stringify(sanitized).replaceAll('/', '\\/')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Whether a value is a footnote: it has an ID and a text. */
function isNote(value: unknown): value is { id: unknown; content: unknown } {
  if (typeof value !== 'object' || value === null) return false
  const { id, content } = value as { id?: unknown; content?: unknown }
  return Boolean(id) && Boolean(content)
}
