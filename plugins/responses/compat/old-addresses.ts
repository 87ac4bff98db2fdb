import { definePlugin } from '../../../kernel/index.ts'

/**
 * URLs as the earliest revision has them (specification 4.1): none through an index script, plain ones at the home
 * URL, slashes at the end of a route count, and taps of `rest_url` are told the scheme `json`.
 */
export default definePlugin({
  name: 'old-addresses',
  apply({ hooks, urls, config, onRemove }) {
    hooks.rest_route_of_address.tap('old-addresses', (route, path) => (path.startsWith('/index.php/') ? null : route))
    hooks.rest_path_to_match.tap('old-addresses', (_path, asked) => asked)
    hooks.rest_url.tap({ name: 'old-addresses', stage: -1000 }, (url, path) => {
      if (config.addresses === 'index') return url.replace(`/index.php/${urls.prefix}`, () => `/${urls.prefix}`)
      // No slash is put before a path that has none.
      return config.addresses === 'plain' ? `${urls.site('/')}?rest_route=${path.replace('?', '&')}` : url
    })
    Object.assign(urls, { scheme: 'json', slashes: false })
    onRemove(() => void Object.assign(urls, { scheme: 'rest', slashes: true }), 'scheme of URLs')
  },
})
