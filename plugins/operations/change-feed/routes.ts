import {
  invalidParam,
  type RestError,
  RestResponse,
  type Arguments,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Feed } from './feed.ts'
import { filterOf, shownChange, wanted } from './filter.ts'
import { Identity } from './identity.ts'
import { KINDS } from './kinds.ts'
import type { SeenChanges } from './seen-change.ts'
import { startOf } from './start.ts'

/** Changes of one response, at most. */
const MAX_CHANGES_PER_RESPONSE = 1000
const ALL_KINDS = [...KINDS, 'all']

const ARGUMENTS: Arguments = {
  since: {
    description: 'Number of the last change that the client knows; without one it is told where to begin.',
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  per_page: {
    description: 'Changes that are looked at, at most.',
    type: 'integer',
    default: 100,
    minimum: 1,
    maximum: MAX_CHANGES_PER_RESPONSE,
  },
  kinds: {
    description: 'Limits the changes to objects of these kinds.',
    type: 'array',
    items: { type: 'string', enum: ALL_KINDS },
    default: [],
  },
  types: {
    description: 'Limits the changes to objects of these content types, taxonomies or types of comments.',
    type: 'array',
    items: { type: 'string' },
    default: [],
  },
}

/** Registers the route of the changes: pages of JSON, and server-sent events. */
export function registerRoutes(server: RestServer, plugin: PluginContext, seen: SeenChanges, feed: Feed): void {
  const { branding, services } = plugin
  const callback = async (request: RestRequest) => {
    const isStream = wantsStream(request)
    const since = sinceOf(request, isStream)
    const perPage = request.get('per_page') as number
    // The bounds come last: what was forgotten before they were read may be missing.
    const changes = isStream || since === null ? [] : await services.changeHistory.after(since, perPage)
    const bounds = await services.changeHistory.bounds()
    const start = startOf(since, bounds)
    if (isStream) {
      const parts = {
        identity: new Identity(plugin, request),
        network: request.work.network,
        filter: filterOf(request),
      }
      return varying(feed.respond(parts, start, bounds.last))
    }
    const { last, fault } = start
    if (fault !== null) {
      const make = fault === 'gone' ? errors.rest_changes_gone : errors.rest_changes_unknown
      return refused(make({ data: { last } }))
    }
    const told = wanted(await seen.seenBy(request.user, changes), filterOf(request))
    return page({
      changes: told.map(shownChange),
      last: changes.at(-1)?.id ?? last,
      more: changes.length === perPage && changes.at(-1)!.id < bounds.last,
    })
  }
  server.registerRoute(branding.namespace('v2'), 'changes', {
    // Index documents that clients compare stay as they are.
    0: { show_in_index: false, cache: false, permission_callback: () => true, args: ARGUMENTS, callback },
    schema: () => SCHEMA,
  })
}

/** Whether the client listens. What asks for it from within, or wraps the response, gets JSON. */
function wantsStream(request: RestRequest): boolean {
  const { headers, query, streams } = request
  if (!streams || query['_envelope'] !== undefined || query['_jsonp'] !== undefined) return false
  const accept = headers.get('accept') ?? ''
  const quality = qualityOf(accept, 'text/event-stream')
  return quality > 0 && quality >= qualityOf(accept, 'application/json')
}

/** How much a client would like a type that it names, from 0 to 1; 0 where it does not name it. */
function qualityOf(accept: string, type: string): number {
  for (const part of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    if (name !== type) continue
    const [, quality = '1'] = /^q=([\d.]+)$/.exec(parameters.find((text) => text.startsWith('q=')) ?? '') ?? []
    return Number(quality) || 0
  }
  return 0
}

/**
 * Number of the last change that the client knows; null where it begins. A browser that is back tells in a header where it
 * was, and its URL still says where it had begun.
 * @throws rest_invalid_param
 */
function sinceOf(request: RestRequest, isStream: boolean): number | null {
  const header = isStream ? request.headers.get('last-event-id') : null
  if (header === null || header === '') return (request.get('since') as number | undefined) ?? null
  const since = Number(header)
  if (/^\d+$/.test(header) && Number.isSafeInteger(since)) return since
  throw invalidParam('since', 'The header Last-Event-ID must be the number of a change.')
}

function page(data: object): RestResponse {
  return varying(new RestResponse(data, 200, { 'Cache-Control': 'private, no-store' }))
}

function refused(error: RestError): RestResponse {
  const response = RestResponse.fromError(error)
  // Caches may keep a 410 as long as they like.
  response.headers.set('Cache-Control', 'private, no-store')
  return varying(response)
}

function varying<R extends RestResponse>(response: R): R {
  response.headers.append('Vary', 'Accept')
  return response
}

const text = (description: string) => ({ description, type: 'string' })

const SCHEMA = {
  title: 'changes',
  type: 'object',
  properties: {
    changes: {
      description: 'Changes of what the user may read, the oldest first.',
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { description: 'Number of the change.', type: 'integer' },
          time: { ...text('When it was committed, in UTC.'), format: 'date-time' },
          kind: { ...text('What has changed.'), enum: ALL_KINDS },
          object: { description: 'ID of the object, or the name of an option or table.', type: ['integer', 'string'] },
          type: text('Content type, taxonomy or type of the comment.'),
          change: { ...text('What happened to it, as the user sees it.'), enum: ['create', 'update', 'delete'] },
          status: text('The status that it has.'),
          previous_status: text('The status that it had.'),
          slug: text('The slug of the object.'),
          tags: { description: 'Cache tags of what has changed.', type: 'array', items: { type: 'string' } },
        },
      },
    },
    last: { description: 'Where to go on: `since` of the next request.', type: 'integer' },
    more: { description: 'Whether there are more changes already.', type: 'boolean' },
  },
}
