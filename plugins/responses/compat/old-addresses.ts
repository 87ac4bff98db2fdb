import { definePlugin } from '../../../kernel/index.ts'

/**
 * URLs of revision 4.4 (specification 4.1): no URLs through an index script, plain URLs at the home URL, significant
 * trailing slashes of routes, and the scheme `json` in taps of `rest_url`.
 */
export default definePlugin({
  name: 'old-addresses',
  apply({ hooks, urls, config, onRemove }) {
    hooks.rest_route_of_address.tap('old-addresses', (route, path) => (path.startsWith('/index.php/') ? null : route))
    hooks.rest_path_to_match.tap('old-addresses', (_path, requestedPath) => requestedPath)
    hooks.rest_url.tap({ name: 'old-addresses', stage: -1000 }, (url, path) => {
      if (config.addresses === 'index') return url.replace(`/index.php/${urls.prefix}`, () => `/${urls.prefix}`)
      // A path without a leading slash stays as it is.
      return config.addresses === 'plain' ? `${urls.site('/')}?rest_route=${path.replace('?', '&')}` : url
    })
    Object.assign(urls, { scheme: 'json', slashes: false })
    onRemove(() => void Object.assign(urls, { scheme: 'rest', slashes: true }), 'scheme of URLs')
  },
})
