import { definePlugin, escapeHtml, escapeHtmlOnce, HeaderMap, type SitePage } from '../../kernel/index.ts'

/**
 * Tells clients where the REST API is: by a `Link` header on pages of the site (specification 4.8) and on responses that
 * have no links of their own, and by a plain front page, for a browser, where no other plugin serves one.
 */
export default definePlugin({
  name: 'discovery',
  needs: ['settings'],
  apply({ hooks, services, urls, branding }) {
    // It is mostly the same as for the response before.
    let last = { root: '', link: '' }
    const rootLink = (root: string) => {
      if (root !== last.root) last = { root, link: `<${root}>; rel="${branding.rootRelation}"` }
      return last.link
    }

    hooks.rest_pre_serve_request.tap({ name: 'discovery', stage: 100 }, (served, { response: { headers } }) => {
      if (headers.has('Link')) return served
      const root = urls.rest()
      if (root !== '') headers.set('Link', rootLink(root))
      return served
    })
    hooks.site_headers.tap('discovery', (headers) => {
      if (!headers.get('Content-Type')?.startsWith('text/html')) return
      const root = urls.rest()
      if (root !== '') headers.append('Link', rootLink(root))
    })
    hooks.site_request.tapPromise({ name: 'discovery', stage: 100 }, async (page, { method, path }) => {
      const isFront = path === '/' || path === '/index.php'
      if (page !== null || !isFront || (method !== 'GET' && method !== 'HEAD')) return page
      const { title, description } = await services.options.many(['title', 'description'])
      return frontPage(textOf(title), textOf(description), urls.rest(), branding.rootRelation)
    })
  },
})

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function frontPage(title: string, description: string, root: string, relation: string): SitePage {
  const name = escapeHtmlOnce(title === '' ? 'A site without a name' : title)
  const url = escapeHtml(root)
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${name}</title>
<link rel="${escapeHtml(relation)}" href="${url}">
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }</style>
<h1>${name}</h1>
<p>${escapeHtmlOnce(description)}</p>
<p>The content of this site is served as JSON. Its REST API begins at <a href="${url}">${url}</a>.</p>
</html>
`
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  })
  return { status: 200, headers, body }
}
