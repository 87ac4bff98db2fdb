import { cleanName, definePlugin } from '../../kernel/index.ts'

/**
 * Takes any URL of the site with a `rest_route` in its query for one of the REST API (specification 4.1, rule 6):
 * `/?rest_route=/svc/v2/posts`, `/index.php?rest_route=/`. URLs of files stay what they are.
 */
export default definePlugin({
  name: 'plain-urls',
  apply({ hooks }) {
    hooks.rest_route_of_address.tap('plain-urls', (route, path, query) => {
      if (route !== null || query.size === 0) return route
      const asked = query.getAll('rest_route').at(-1)
      if (asked === undefined || asked === '' || asked.includes('\0') || isFile(path)) return route
      return `/${cleanName(asked.replace(/^\/+/, ''))}`
    })
  },
})

function isFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.includes('.') && name !== 'index.php'
}
