// A page of the site next to the REST API: /hello/ greets the logged-in user.
import { definePlugin, escapeHtml, HeaderMap } from 'svc-rest'

/** Serves a page at /hello/. */
export default definePlugin({
  name: 'page',
  apply({ hooks }) {
    hooks.site_request.tap({ name: 'page', methods: ['GET'] }, (page, { path, user }) => {
      if (page !== null || path.replace(/\/$/, '') !== '/hello') return page
      const headers = new HeaderMap({
        'Content-Type': 'text/html; charset=UTF-8',
        // The page differs by user, so shared caches must not store it.
        'Cache-Control': 'private, no-store',
      })
      const name = escapeHtml(user.name ?? 'stranger')
      return { status: 200, headers, body: `<!doctype html>\n<title>Hello</title>\n<h1>Hello ${name}</h1>\n` }
    })
  },
})
