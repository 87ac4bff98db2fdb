import type { IncomingMessage } from 'node:http'
import { HeaderMap, STATUS_CODES, type ErrorPage, type RestError } from '../../../kernel/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'

/** Renders an error page for browsers: the message and, for a server error, the request ID to look up in the log. */
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

/** Returns whether the client is a browser that opens a page or sends a form. */
function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true
}

/** Content-Security-Policy of a page that consists of text only. */
const TEXT_ONLY_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Returns an error as a page for browsers, or null for other clients. @param id ID of the request */
export function errorPage(error: RestError, incoming: IncomingMessage, id: string): ErrorPage | null {
  if (!acceptsHtml(incoming)) return null
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'Content-Security-Policy': TEXT_ONLY_POLICY,
  })
  return { headers, body: pageOf(error, id) }
}
