const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}

/** A text as HTML that shows it, also between quotes in a tag. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => ENTITIES[mark]!)
}

/** A text that may hold HTML entities already, as titles of sites do, as HTML: `Q & A` and `Q &amp; A` alike. */
export function escapeHtmlOnce(text: string): string {
  return text
    .replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});)/gi, '&amp;')
    .replace(/[<>"']/g, (mark) => ENTITIES[mark]!)
}
