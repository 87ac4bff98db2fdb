import { defineErrors, definePlugin, forbidden, type RestRequest } from '../../../kernel/index.ts'

const errors = defineErrors({
  rest_forbidden: [403, 'Only administrators may ask how the site does.'],
})

/** What one test has found. */
interface Health {
  readonly test: string
  readonly label: string
  readonly status: 'good' | 'recommended' | 'critical'
  readonly badge: { readonly label: string; readonly color: string }
  readonly description: string
  readonly actions: string
}

/** A test of the health of the site. */
interface HealthTest {
  /** Version of the interface that brought it. */
  readonly since: string
  readonly badge: string
  readonly run: (request: RestRequest) => Pick<Health, 'label' | 'status' | 'description'>
}

/** Tells administrators what clients and proxies of the site get wrong, or do not. */
export default definePlugin({
  name: 'site-health',
  since: '5.6',
  needs: ['roles'],
  apply({ branding, hooks, services, since, urls }) {
    const good = (label: string, description: string) => ({ label, status: 'good' as const, description })
    const tests: Readonly<Record<string, HealthTest>> = {
      'authorization-header': {
        since: '5.6',
        badge: 'Security',
        run: ({ headers }) =>
          headers.has('authorization')
            ? good('The Authorization header arrives', 'Programs can log in with application passwords.')
            : {
                label: 'The Authorization header does not arrive',
                status: 'recommended',
                description:
                  'This request had no Authorization header. If it was sent with one, a proxy before the server drops it: programs cannot log in then.',
              },
      },
      'background-updates': {
        since: '5.6',
        badge: 'Security',
        run: () => good('Nothing updates itself', 'The server is updated by those who run it, and by nothing else.'),
      },
      'loopback-requests': {
        since: '5.6',
        badge: 'Performance',
        run: () => good('The site does not ask itself', 'Jobs run in the server: they need no request from itself.'),
      },
      'dotorg-communication': {
        since: '5.6',
        badge: 'Security',
        run: () => good('No server is asked for updates', 'Nothing is told to others about this site.'),
      },
      'https-status': {
        since: '5.7',
        badge: 'Security',
        run: () =>
          urls.isSecure
            ? good('The site is served over HTTPS', 'The URL of the site begins with https.')
            : {
                label: 'The site is not served over HTTPS',
                status: 'recommended',
                description: 'The URL of the site begins with http: whoever is on the way can read passwords.',
              },
      },
      'page-cache': {
        since: '6.1',
        badge: 'Performance',
        run: () => good('Responses are kept', 'What is asked for often is not made anew as long as nothing has changed.'),
      },
    }
    const may = (request: RestRequest) =>
      services.capabilities.can(request.user, 'install_plugins') || forbidden(request, errors.rest_forbidden)
    const namespace = branding.namespace('v1', 'site-health')
    hooks.rest_api_init.tap('site-health', (server) => {
      for (const [name, { since: version, badge, run }] of Object.entries(tests)) {
        if (!since(version)) continue
        server.registerRoute(namespace, `tests/${name}`, {
          callback: (request): Health => {
            request.doNotKeep('it is about this very request')
            const found = run(request)
            const color = found.status === 'good' ? 'blue' : 'orange'
            const description = `<p>${found.description}</p>`
            return { test: name.replaceAll('-', '_'), ...found, description, badge: { label: badge, color }, actions: '' }
          },
          permission_callback: may,
        })
      }
      server.registerRoute(namespace, 'directory-sizes', {
        callback: (request) => {
          request.doNotKeep('it is about files')
          // Nobody counts the files of a disk while a request waits for it.
          return { total_size: { size: 'not available', debug: 'not available' } }
        },
        permission_callback: may,
      })
    })
  },
})
