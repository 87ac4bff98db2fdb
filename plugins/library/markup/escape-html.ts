const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}

/** Escapes a text for HTML, including quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => ENTITIES[mark]!)
}

/**
 * Escapes a text that can already contain HTML entities, such as the title of a site: `Q & A` and `Q &amp; A` have the
 * same result.
 */
export function escapeHtmlOnce(text: string): string {
  return text
    .replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});)/gi, '&amp;')
    .replace(/[<>"']/g, (mark) => ENTITIES[mark]!)
}
