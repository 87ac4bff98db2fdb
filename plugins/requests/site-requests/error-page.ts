import type { IncomingMessage } from 'node:http'
import { HeaderMap, STATUS_CODES, type ErrorPage, type RestError } from '../../../kernel/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'

/** An error page for browsers: the message, and for a failure of the server the ID under which the log has the reason. */
function pageOf({ status, message }: RestError, id: string): string {
  const title = escapeHtml(STATUS_CODES[status] ?? 'Error')
  const reference = status >= 500 ? `<p>Request ID: <code>${escapeHtml(id)}</code></p>` : ''
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body><main><h1>${title}</h1><p role="alert">${escapeHtml(message)}</p>${reference}</main></body>
</html>
`
}

/** Whether a client shows what it gets to somebody: browsers say so where they open a page or send a form. */
function wantsPage({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true
}

/** The Content-Security-Policy of a page that is nothing but text. */
const SHUT = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Returns an error as a page, for a client that shows what it gets to a person. @param id of the request */
export function errorPage(error: RestError, incoming: IncomingMessage, id: string): ErrorPage | null {
  if (!wantsPage(incoming)) return null
  const headers = new HeaderMap({ 'Content-Type': 'text/html; charset=UTF-8', 'Content-Security-Policy': SHUT })
  return { headers, body: pageOf(error, id) }
}
