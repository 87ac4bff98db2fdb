import { authorizationStatus, type PluginContext, type RestRequest, type RestServer } from '../../public.ts'
import { errors } from './errors.ts'
import { exportAs } from './exports.ts'
import { readRedirect, shownRedirect, textOf, type NewRedirect } from './fields.ts'
import { isKnownFilter, LIST_ARGUMENTS, listGroups, listMissing, listRedirects, type ListQuery } from './lists.ts'
import { importFile } from './import-file.ts'
import { readSettings, writeSettings } from './settings.ts'
import type { Repository } from './repository.ts'
import type { VisitLog } from './visit-log.ts'

const NAMESPACE = 'redirection/v1'
const WRITES = ['POST', 'PUT', 'PATCH']
const UPDATE_FAILED = 325
/** Maximum number of items of a bulk action. */
const MAX_ITEMS = 1000
const MAX_NAME_LENGTH = 500

/** Arguments of bulk actions. */
const ITEMS = { type: 'array', items: { type: ['string', 'number'] } } as const
const GROUP_ARGUMENTS = {
  moduleId: { type: 'integer', minimum: 0, maximum: 3, required: true },
  name: { type: 'string', required: true },
  status: {},
} as const

/** Registers the routes of Redirection. All of them need an administrator. */
export class RedirectRoutes {
  readonly #plugin: PluginContext
  readonly #repository: Repository
  readonly #log: VisitLog

  constructor(plugin: PluginContext, repository: Repository, log: VisitLog) {
    this.#plugin = plugin
    this.#repository = repository
    this.#log = log
  }

  register(server: RestServer): void {
    const { services } = this.#plugin
    const permission_callback = (request: RestRequest) =>
      services.capabilities.can(request.user, 'manage_options') ||
      errors.rest_forbidden({ data: { status: authorizationStatus(request) } })
    type Callback = (request: RestRequest) => unknown
    const endpoint = (methods: string | string[], callback: Callback, args: object = {}) => ({
      methods,
      args,
      permission_callback,
      callback,
      // Counted visits are not in the database yet.
      cache: false,
    })
    const add = (path: string, ...endpoints: object[]) =>
      server.registerRoute(NAMESPACE, path, endpoints as Parameters<RestServer['registerRoute']>[2])
    const redirects = LIST_ARGUMENTS(['source', 'last_count', 'last_access', 'position', 'id', ''])
    const groups = LIST_ARGUMENTS(['name', 'id', ''])
    const logs = LIST_ARGUMENTS(['url', 'ip', 'total', 'count', ''])

    const list = (request: RestRequest) => this.#list(request)
    add(
      '/redirect',
      endpoint('GET', list, redirects),
      endpoint(WRITES, (request) => this.#create(request), redirects),
    )
    add(
      '/redirect/(?P<id>[\\d]+)',
      endpoint(WRITES, (request) => this.#update(request)),
    )
    add(
      '/redirect/post',
      endpoint('GET', (request) => this.#findPosts(request), { text: { type: 'string', required: true } }),
    )
    add(
      '/bulk/redirect/(?P<bulk>delete|enable|disable|reset)',
      endpoint(WRITES, (request) => this.#bulk(request), { ...redirects, global: { type: 'boolean' }, items: ITEMS }),
    )
    const groupList = (request: RestRequest) => this.#groups(request)
    add(
      '/group',
      endpoint('GET', groupList, groups),
      endpoint(WRITES, (request) => this.#createGroup(request), { ...groups, ...GROUP_ARGUMENTS }),
    )
    add(
      '/group/(?P<id>[\\d]+)',
      endpoint(WRITES, (request) => this.#updateGroup(request), GROUP_ARGUMENTS),
    )
    add(
      '/bulk/group/(?P<bulk>delete|enable|disable)',
      endpoint(WRITES, (request) => this.#bulkGroups(request), { ...groups, items: ITEMS }),
    )
    // Hits are counted per redirect, so the log of redirected visits is empty.
    const noLog = () => ({ items: [], total: 0 })
    add('/log', endpoint('GET', noLog, logs))
    add('/bulk/log/(?P<bulk>delete)', endpoint(WRITES, noLog, { ...logs, items: ITEMS }))
    add(
      '/404',
      endpoint('GET', (request) => this.#missing(request), logs),
    )
    add(
      '/bulk/404/(?P<bulk>delete)',
      endpoint(WRITES, (request) => this.#deleteMissing(request), { ...logs, items: ITEMS }),
    )
    add(
      '/setting',
      endpoint('GET', () => this.#settings()),
      endpoint(WRITES, (request) => this.#writeSettings(request)),
    )
    this.#registerMaintenance(add, endpoint)
  }

  #registerMaintenance(
    add: (path: string, ...endpoints: object[]) => void,
    endpoint: (methods: string | string[], callback: (request: RestRequest) => unknown, args?: object) => object,
  ): void {
    const state = () => ({ status: 'ok', inProgress: false })
    const text = { type: 'string' }
    add('/plugin', endpoint('GET', state), endpoint(WRITES, state, { name: text, value: text }))
    add('/plugin/delete', endpoint(WRITES, state))
    add(
      '/plugin/test',
      endpoint(['GET', ...WRITES, 'DELETE'], () => ({ success: true })),
    )
    add('/plugin/data', endpoint(WRITES, state, { upgrade: { type: 'string', enum: ['stop', 'skip', 'retry'] } }))
    add(
      '/import/file/(?P<group_id>\\d+)',
      endpoint(WRITES, (request) => this.#import(request)),
    )
    add(
      '/import/plugin',
      endpoint('GET', () => ({ importers: [] })),
      endpoint(WRITES, () => ({ imported: 0 })),
    )
    add(
      '/export/(?P<module>1|2|3|all)/(?P<format>csv|apache|nginx|json)',
      endpoint('GET', (request) => this.#export(request)),
    )
  }

  async #list(request: RestRequest) {
    await this.#log.flush()
    const { items } = await this.#repository.rules()
    return listRedirects(items, await this.#repository.hits(), queryOf(request))
  }

  async #create(request: RestRequest) {
    const sent = sentFields(request)
    // A request without fields shows the list.
    if (Object.keys(sent).length === 0) return this.#list(request)
    const settings = await readSettings(this.#plugin)
    const { items } = await this.#repository.rules()
    const position = items.filter(({ group_id: group }) => group === Number(sent['group_id'])).length
    const redirect = readRedirect(sent, settings, position)
    await this.#repository.add([redirect])
    await writeSettings(this.#plugin, { last_group_id: redirect.group_id })
    return this.#list(request)
  }

  async #update(request: RestRequest) {
    const id = Number(request.captures['id'])
    const failed = () => errors.redirect_update_failed({ data: { error_code: UPDATE_FAILED } })
    const { items, groups } = await this.#repository.rules()
    const before = items.find((item) => item.id === id)
    if (before === undefined) throw failed()
    const sent = sentFields(request)
    const position = Number(sent['position'] ?? before.position)
    const settings = await readSettings(this.#plugin)
    let redirect: NewRedirect
    try {
      redirect = readRedirect(sent, settings, Number.isSafeInteger(position) ? position : before.position)
    } catch (error) {
      if ((error as { code?: string }).code === 'redirect') throw failed()
      throw error
    }
    if (!groups.some((group) => group.id === redirect.group_id)) throw failed()
    const enabled = sent['status'] === undefined && sent['enabled'] === undefined ? before.enabled : redirect.enabled
    await this.#repository.update(id, { ...redirect, enabled })
    return { item: shownRedirect({ ...redirect, enabled, id }, (await this.#repository.hits()).get(id)) }
  }

  async #bulk(request: RestRequest) {
    const { bulk } = request.captures
    const ids = request.get('global') === true ? await this.#chosen(request) : idsOf(request)
    if (bulk === 'delete') await this.#repository.delete(ids)
    else if (bulk === 'reset') await this.#repository.resetHits(ids)
    else await this.#repository.enable(ids, bulk === 'enable')
    return this.#list(request)
  }

  async #chosen(request: RestRequest): Promise<number[]> {
    const { items } = await this.#repository.rules()
    const all = listRedirects(items, new Map(), { ...queryOf(request), page: 0, per_page: items.length + 1 })
    return all.items.map(({ id }) => id)
  }

  async #groups(request: RestRequest) {
    const { last_group_id: last } = await readSettings(this.#plugin)
    return listGroups(await this.#repository.rules(), last, queryOf(request))
  }

  async #createGroup(request: RestRequest) {
    await this.#repository.addGroup(groupOf(request))
    return this.#groups(request)
  }

  async #updateGroup(request: RestRequest) {
    const id = Number(request.captures['id'])
    const before = (await this.#repository.rules()).groups.find((group) => group.id === id)
    if (before === undefined) throw errors.redirect_group_update_failed()
    const sent = groupOf(request)
    await this.#repository.updateGroup(id, {
      ...sent,
      enabled: request.get('status') === undefined ? before.enabled : sent.enabled,
    })
    const { items } = listGroups(await this.#repository.rules(), 0, { per_page: Number.MAX_SAFE_INTEGER, page: 0 })
    return { item: items.find((group) => group.id === id) }
  }

  async #bulkGroups(request: RestRequest) {
    const ids = idsOf(request)
    const { bulk } = request.captures
    if (bulk === 'delete') await this.#repository.deleteGroups(ids)
    else await this.#repository.enableGroups(ids, bulk === 'enable')
    return this.#groups(request)
  }

  async #missing(request: RestRequest) {
    await this.#log.flush()
    return listMissing(await this.#repository.missing(), queryOf(request))
  }

  async #deleteMissing(request: RestRequest) {
    const all = listMissing(await this.#repository.missing(), { per_page: Number.MAX_SAFE_INTEGER, page: 0 })
    const chosen = new Set(((request.get('items') ?? []) as unknown[]).map(String))
    await this.#repository.deleteMissing(
      all.items.filter(({ id, url }) => chosen.has(id) || chosen.has(url)).map(({ url }) => url),
    )
    return this.#missing(request)
  }

  async #settings() {
    const { services } = this.#plugin
    const { groups } = await this.#repository.rules()
    const types = services.contentTypes.all().filter(({ viewable, name }) => viewable && name !== 'attachment')
    return {
      settings: await readSettings(this.#plugin),
      groups: [{ label: 'WordPress', value: groups.map(({ id, name }) => ({ label: name, value: id })) }],
      installed: '/',
      canDelete: true,
      post_types: {
        ...Object.fromEntries(types.map(({ name, labels }) => [name, labels['name'] ?? name])),
        trash: 'Trash',
      },
    }
  }

  async #writeSettings(request: RestRequest) {
    await writeSettings(this.#plugin, sentFields(request))
    return this.#settings()
  }

  async #import(request: RestRequest) {
    const file = request.files.find(({ name }) => name === 'file') ?? request.files[0]
    if (file === undefined) throw errors.redirect_import_invalid_file()
    const settings = await readSettings(this.#plugin)
    const imported = await importFile(this.#repository, file, Number(request.captures['group_id']), settings)
    return { imported }
  }

  async #export(request: RestRequest) {
    await this.#log.flush()
    const { module, format } = request.captures
    const rules = await this.#repository.rules()
    const chosen = rules.groups.filter(({ module_id: id }) => module === 'all' || String(id) === module)
    const ids = new Set(chosen.map(({ id }) => id))
    const own = rules.items.filter(({ group_id: group, enabled }) => ids.has(group) && (module === 'all' || enabled))
    const redirects = own.toSorted((a, b) => (module === 'all' ? 0 : a.position - b.position) || a.id - b.id)
    const groups = listGroups({ ...rules, groups: chosen }, 0, {
      per_page: Number.MAX_SAFE_INTEGER,
      page: 0,
      orderby: 'id',
      direction: 'asc',
    })
    const hits = await this.#repository.hits()
    return { data: exportAs(textOf(format), { redirects, groups: groups.items, hits }), total: redirects.length }
  }

  async #findPosts(request: RestRequest) {
    const { branding, server } = this.#plugin
    const { RestRequest: Request } = await import('../../public.ts')
    const query = new URLSearchParams({ search: textOf(request.get('text')), type: 'post', _fields: 'title,url' })
    const { data } = await server.dispatch(
      Request.fromPath(`/${branding.namespace('v2')}/search?${query.toString()}`, request),
    )
    return Array.isArray(data) ? data : []
  }
}

function queryOf(request: RestRequest): ListQuery {
  const filterBy = request.get('filterBy')
  isKnownFilter(filterBy, request.route)
  return {
    page: Number(request.get('page') ?? 0),
    per_page: Number(request.get('per_page') ?? 25),
    orderby: textOf(request.get('orderby')),
    direction: request.get('direction') === 'asc' ? 'asc' : 'desc',
    filterBy: (filterBy ?? {}) as Record<string, unknown>,
  }
}

/** Returns the fields of the body, or of the query of a request without a body. */
function sentFields(request: RestRequest): Readonly<Record<string, unknown>> {
  const body = request.json ?? request.form ?? {}
  return typeof body === 'object' && !Array.isArray(body) ? (body as Record<string, unknown>) : {}
}

function idsOf(request: RestRequest): number[] {
  return ((request.get('items') ?? []) as unknown[])
    .slice(0, MAX_ITEMS)
    .map(Number)
    .filter((id) => Number.isSafeInteger(id))
}

function groupOf(request: RestRequest) {
  const name = textOf(request.get('name'))
    .replaceAll(/<[^<>]*>/g, '')
    .trim()
  return {
    name: name.slice(0, MAX_NAME_LENGTH),
    module_id: Number(request.get('moduleId')) || 1,
    enabled: request.get('status') !== 'disabled',
  }
}
