import { defineErrors, definePlugin, forbidden, type RestRequest } from '../../../kernel/index.ts'
import type { Words } from '../../foundation/translations/index.ts'
import { sizeMeasurer } from './directory-sizes.ts'

const errors = defineErrors({
  rest_forbidden: [403, 'Sorry, you are not allowed to run site health tests.'],
})

/** The result of a test. */
interface Health {
  readonly test: string
  readonly label: string
  readonly status: 'good' | 'recommended' | 'critical'
  readonly badge: { readonly label: string; readonly color: string }
  readonly description: string
  readonly actions: string
}

/** A health test. */
interface HealthTest {
  /** REST API version that introduced it. */
  readonly since: string
  readonly badge: (words: Words) => string
  readonly run: (words: Words, request: RestRequest) => Pick<Health, 'label' | 'status' | 'description'>
}

const security = (words: Words) => words.t('health|Security')
const performance = (words: Words) => words.t('health|Performance')
const good = (label: string, description: string) => ({ label, status: 'good' as const, description })

/** Health tests of the site for administrators. */
export default definePlugin({
  name: 'site-health',
  since: '5.6',
  needs: ['roles', 'store', 'translations', 'users'],
  after: ['themes'],
  apply(plugin) {
    const { branding, hooks, services, since, urls } = plugin
    const tests: Readonly<Record<string, HealthTest>> = {
      'authorization-header': {
        since: '5.6',
        badge: security,
        run: (words, { headers }) =>
          headers.has('authorization')
            ? good(
                words.t('The Authorization header is received'),
                words.t('Clients can log in with application passwords.'),
              )
            : {
                label: words.t('The Authorization header is missing'),
                status: 'recommended',
                description: words.t(
                  'The request had no Authorization header. If the client sent one, a proxy in front of the server removes it, and clients cannot log in with application passwords.',
                ),
              },
      },
      'background-updates': {
        since: '5.6',
        badge: security,
        run: (words) =>
          good(words.t('Background updates are not used'), words.t('The operators of the server install updates.')),
      },
      'loopback-requests': {
        since: '5.6',
        badge: performance,
        run: (words) =>
          good(
            words.t('Loopback requests are not used'),
            words.t('Jobs run within the server and need no requests to itself.'),
          ),
      },
      'dotorg-communication': {
        since: '5.6',
        badge: security,
        run: (words) =>
          good(words.t('No update server is contacted'), words.t('No data about this site is sent to other servers.')),
      },
      'https-status': {
        since: '5.7',
        badge: security,
        run: (words) =>
          urls.isSecure
            ? good(words.t('The site is served over HTTPS'), words.t('The URL of the site begins with https.'))
            : {
                label: words.t('The site is not served over HTTPS'),
                status: 'recommended',
                description: words.t('The URL of the site begins with http, so passwords can be read in transit.'),
              },
      },
      'page-cache': {
        since: '6.1',
        badge: performance,
        run: (words) =>
          good(words.t('Responses are cached'), words.t('Cached responses are reused until their content changes.')),
      },
    }
    const may = (request: RestRequest) =>
      services.capabilities.can(request.user, 'install_plugins') || forbidden(request, errors.rest_forbidden)
    const namespace = branding.namespace('v1', 'site-health')
    hooks.rest_api_init.tap('site-health', (server) => {
      for (const [name, { since: version, badge, run }] of Object.entries(tests)) {
        if (!since(version)) continue
        server.registerRoute(namespace, `tests/${name}`, {
          callback: async (request): Promise<Health> => {
            request.preventCaching('it is about this very request')
            // Clients ask for texts in the language of the user, rather than that of the site, with `_locale=user`.
            const words = await (request.query['_locale'] === 'user'
              ? services.translations.ofUser(request.user.id, request.scope)
              : services.translations.site())
            const found = run(words, request)
            const color = found.status === 'good' ? 'blue' : 'orange'
            const description = `<p>${found.description}</p>`
            return {
              test: name.replaceAll('-', '_'),
              ...found,
              description,
              badge: { label: badge(words), color },
              actions: '',
            }
          },
          permission_callback: may,
        })
      }
      const measure = sizeMeasurer(plugin)
      server.registerRoute(namespace, 'directory-sizes', {
        callback: (request) => {
          request.preventCaching('it is about files')
          return measure()
        },
        permission_callback: may,
      })
    })
  },
})
