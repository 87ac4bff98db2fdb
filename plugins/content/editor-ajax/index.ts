import {
  definePlugin,
  HeaderMap,
  RequestCache,
  trimEndSlashes,
  type PluginContext,
  type SitePage,
} from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { queryAttachments } from './attachments.ts'
import { refreshLock, removeLock, writtenLock } from './post-lock.ts'

export { locksOf, refreshLock, takeLock, writtenLock, type Lock } from './post-lock.ts'

/** Actions of nonces: heartbeat, and releasing a post lock (followed by the post ID). */
const HEARTBEAT = 'heartbeat-nonce'
const UPDATE_POST = 'update-post_'

type Form = Readonly<Record<string, unknown>>

/**
 * Serves requests of editor pages outside the REST API: post locks, fresh nonces, and attachments for media dialogs.
 */
export default definePlugin({
  name: 'editor-ajax',
  since: '5.0',
  needs: [
    'site-requests',
    'store',
    'roles',
    'posts',
    'meta',
    'permalinks',
    'media',
    'users',
    'cookie-auth',
    'login',
    'translations',
  ],
  apply(plugin) {
    const { branding, hooks } = plugin
    const actions: Readonly<Record<string, (request: SiteRequest, form: Form) => Promise<SitePage>>> = {
      heartbeat: (request, form) => heartbeat(plugin, request, form),
      [`${branding.word}-remove-post-lock`]: (request, form) => releaseLock(plugin, request, form),
      'query-attachments': (request, form) => attachments(plugin, request, form),
    }
    hooks.site_request.tapPromise({ name: 'editor-ajax', methods: 'POST' }, async (page, request) => {
      if (page !== null || trimEndSlashes(request.path) !== branding.ajaxPath) return page
      const form = await request.form()
      const name = request.query.get('action') ?? form['action']
      const act = typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined
      if (act === undefined) return page
      return plugin.services.plainPages.isForeign(request) ? respond('0', 403) : act(request, form)
    })
  },
})

/** Reports whether the user is still logged in, returns fresh nonces, and refreshes the lock of the edited post. */
async function heartbeat(plugin: PluginContext, request: SiteRequest, form: Form): Promise<SitePage> {
  const { branding, services } = plugin
  const { nonces, posts } = services
  const { user } = request
  const response: Record<string, unknown> = {
    server_time: Math.floor(Date.now() / 1000),
    [`${branding.word}-auth-check`]: user.session !== undefined,
  }
  if (user.session === undefined) return respond(response)
  if (!isValidNonce(plugin, request, form['_nonce'], HEARTBEAT)) return respond({ ...response, nonces_expired: true })
  response['heartbeat_nonce'] = nonces.create(HEARTBEAT, user)
  response['rest_nonce'] = nonces.create(branding.nonceAction, user)
  const key = `${branding.word}-refresh-post-lock`
  const id = numberIn(partOf(partOf(form['data'])[key])['post_id'])
  if (id === null) return respond(response)
  const scope = new RequestCache()
  const post = await posts.get(id, scope)
  if (post === undefined || !(await posts.isEditable(post, user, scope))) return respond(response)
  const lock = await refreshLock(plugin, id, user)
  if (lock.user === user.id) return respond({ ...response, [key]: { new_lock: writtenLock(lock) } })
  const name = (await services.users.get(lock.user, scope))?.name ?? ''
  const words = await services.translations.ofUser(user.id, scope)
  const text = words.t('{name} is editing this post.', { name: name || words.t('Another user') })
  return respond({ ...response, [key]: { lock_error: { name, text } } })
}

/** Releases the lock of a post that its editor has left. */
async function releaseLock(plugin: PluginContext, request: SiteRequest, form: Form): Promise<SitePage> {
  const { posts } = plugin.services
  const { user } = request
  const id = numberIn(form['post_ID'])
  if (user.session === undefined || id === null) return respond('0', 400)
  if (!isValidNonce(plugin, request, form[plugin.branding.nonceParameter], `${UPDATE_POST}${id}`)) {
    return respond('-1', 403)
  }
  const scope = new RequestCache()
  const post = await posts.get(id, scope)
  if (post === undefined || !(await posts.isEditable(post, user, scope))) return respond('-1', 403)
  await removeLock(plugin, id, user)
  return respond('1')
}

async function attachments(plugin: PluginContext, request: SiteRequest, form: Form): Promise<SitePage> {
  const { user } = request
  const may = user.session !== undefined && plugin.services.capabilities.can(user, 'upload_files')
  if (!may) return respond({ success: false }, user.session === undefined ? 401 : 403)
  const { data, total, pages } = await queryAttachments(plugin, partOf(form['query']), request)
  const page = respond({ success: true, data })
  page.headers.set(plugin.branding.header('Total'), total)
  page.headers.set(plugin.branding.header('TotalPages'), pages)
  return page
}

/** Checks a nonce of an action; a nonce of the REST API is valid too, because every editor page has one. */
function isValidNonce(
  { branding, services }: PluginContext,
  { user }: SiteRequest,
  nonce: unknown,
  action: string,
): boolean {
  const isOf = (name: string) => typeof nonce === 'string' && services.nonces.verify(nonce, name, user) !== false
  return isOf(action) || isOf(branding.nonceAction)
}

function respond(body: unknown, status = 200): SitePage {
  const headers = new HeaderMap({
    'Content-Type': typeof body === 'string' ? 'text/plain; charset=UTF-8' : 'application/json; charset=UTF-8',
    'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
  })
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

function partOf(value: unknown): Form {
  return typeof value === 'object' && value !== null ? (value as Form) : {}
}

function numberIn(value: unknown): number | null {
  return typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null
}
