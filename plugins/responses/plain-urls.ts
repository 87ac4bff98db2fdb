import { cleanName, definePlugin } from '../../kernel/index.ts'

/**
 * Routes URLs of the site with `rest_route` in the query to the REST API (specification 4.1, rule 6):
 * `/?rest_route=/svc/v2/posts`, `/index.php?rest_route=/`. URLs of files are not affected.
 */
export default definePlugin({
  name: 'plain-urls',
  apply({ hooks }) {
    hooks.rest_route_of_address.tap('plain-urls', (route, path, query) => {
      if (route !== null || query.size === 0) return route
      const restRoute = query.getAll('rest_route').at(-1)
      if (restRoute === undefined || restRoute === '' || restRoute.includes('\0') || isFile(path)) return route
      return `/${cleanName(restRoute.replace(/^\/+/, ''))}`
    })
  },
})

function isFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.includes('.') && name !== 'index.php'
}
