import { definePlugin, lazily, type Change } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import './errors.ts'
import { migrations } from './tables.ts'

/** Redirects visitors from old URLs, and records URLs that were not found. */
export default definePlugin({
  name: 'redirects',
  description: 'Redirects and a log of URLs that were not found, with the routes of Redirection.',
  needs: ['site-requests', 'store', 'settings', 'changes', 'roles', 'content-types'],
  after: ['admin'],
  uses: ['posts', 'search'],
  startsIf: switchedOn('redirects'),
  migrations,
  async apply(plugin) {
    const { has, hooks, log, onRemove, services } = plugin
    const { Repository } = await import('./repository.ts')
    const { VisitLog } = await import('./visit-log.ts')
    const repository = new Repository(services.store)
    const visitLog = new VisitLog(plugin, repository)
    onRemove(() => visitLog.flush(), 'timer of counted visits')
    await repository.addDefaultGroups()

    // Imports of a running site store their redirects as options.
    const { importStored, IMPORTED_OPTIONS } = await import('./stored-imports.ts')
    await importStored(plugin, repository)
    const names: readonly string[] = Object.values(IMPORTED_OPTIONS)
    const onChange = (changes: readonly Change[] | null) => {
      if (changes?.some(({ kind, object }) => kind === 'option' && names.includes(object)) !== true) return
      importStored(plugin, repository).catch((err: unknown) => log.warn({ err }, 'importing redirects failed'))
    }
    onRemove(services.changes.onCommit(onChange), 'import of stored redirects')

    const visits = lazily(async () => new (await import('./visits.ts')).Visits(plugin, repository, visitLog))
    // Before pages and files: a redirect takes precedence over them.
    hooks.site_request.tapPromise({ name: 'redirects', stage: -50 }, async (page, request) =>
      page === null ? (await visits()).respond(request) : page,
    )
    hooks.site_page.tapPromise({ name: 'redirects', stage: -50 }, async (page, request) => {
      if (page.status === 404) (await visits()).noteMissing(request)
      return page
    })
    const { RedirectRoutes } = await import('./routes.ts')
    hooks.rest_api_init.tap('redirects', (server) => new RedirectRoutes(plugin, repository, visitLog).register(server))
    if (has('admin')) (await import('./admin.ts')).addRedirectPages(plugin)
  },
})
