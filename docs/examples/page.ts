// A page of the site beside the REST API: /hello/ greets whoever is logged in.
import { definePlugin, escapeHtml, HeaderMap } from 'svc-rest'

/** Answers /hello/ with a page. */
export default definePlugin({
  name: 'page',
  apply({ hooks }) {
    hooks.site_request.tap({ name: 'page', methods: ['GET'] }, (page, { path, user }) => {
      if (page !== null || path.replace(/\/$/, '') !== '/hello') return page
      const headers = new HeaderMap({
        'Content-Type': 'text/html; charset=UTF-8',
        // It is another one for each user.
        'Cache-Control': 'private, no-store',
      })
      const name = escapeHtml(user.name ?? 'stranger')
      return { status: 200, headers, body: `<!doctype html>\n<title>Hello</title>\n<h1>Hello ${name}</h1>\n` }
    })
  },
})
