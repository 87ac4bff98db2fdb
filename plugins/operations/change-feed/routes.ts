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
import { filterOf, shownChange, filterChanges } from './filter.ts'
import { Identity } from './identity.ts'
import { KINDS } from './kinds.ts'
import type { SeenChanges } from './seen-change.ts'
import { startOf } from './start.ts'

const MAX_CHANGES_PER_RESPONSE = 1000
const ALL_KINDS = [...KINDS, 'all']

const ARGUMENTS: Arguments = {
  since: {
    description:
      'ID of the last change that the client has; without it, the response contains only the ID to start from.',
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  per_page: {
    description: 'Maximum number of changes to examine.',
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
    description: 'Limits the changes to objects of these content types, taxonomies or comment types.',
    type: 'array',
    items: { type: 'string' },
    default: [],
  },
}

/** Registers the route of the changes: pages of JSON, and server-sent events. */
export function registerRoutes(server: RestServer, plugin: PluginContext, seen: SeenChanges, feed: Feed): void {
  const { branding, services } = plugin
  const callback = async (request: RestRequest) => {
    const isStream = acceptsStream(request)
    const since = sinceOf(request, isStream)
    const perPage = request.get('per_page') as number
    // The bounds are read last: changes deleted before that may be missing from the list.
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
    const visible = filterChanges(await seen.seenBy(request.user, changes), filterOf(request))
    return page({
      changes: visible.map(shownChange),
      last: changes.at(-1)?.id ?? last,
      more: changes.length === perPage && changes.at(-1)!.id < bounds.last,
    })
  }
  server.registerRoute(branding.namespace('v2'), 'changes', {
    // Hidden from the index, because clients compare index documents.
    0: { show_in_index: false, cache: false, permission_callback: () => true, args: ARGUMENTS, callback },
    schema: () => SCHEMA,
  })
}

/** Whether the client asks for a stream. Internal requests and wrapped responses get JSON. */
function acceptsStream(request: RestRequest): boolean {
  const { headers, query, streams } = request
  if (!streams || query['_envelope'] !== undefined || query['_jsonp'] !== undefined) return false
  const accept = headers.get('accept') ?? ''
  const quality = qualityOf(accept, 'text/event-stream')
  return quality > 0 && quality >= qualityOf(accept, 'application/json')
}

/** The quality from 0 to 1 that a client assigns to a media type; 0 if it does not name the type. */
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
 * ID of the last change that the client has; null for a new client. A reconnecting browser sends the header
 * `Last-Event-ID`, which takes precedence over the argument in its URL.
 * @throws rest_invalid_param
 */
function sinceOf(request: RestRequest, isStream: boolean): number | null {
  const header = isStream ? request.headers.get('last-event-id') : null
  if (header === null || header === '') return (request.get('since') as number | undefined) ?? null
  const since = Number(header)
  if (/^\d+$/.test(header) && Number.isSafeInteger(since)) return since
  throw invalidParam('since', 'The header Last-Event-ID must be the ID of a change.')
}

function page(data: object): RestResponse {
  return varying(new RestResponse(data, 200, { 'Cache-Control': 'private, no-store' }))
}

function refused(error: RestError): RestResponse {
  const response = RestResponse.fromError(error)
  // Caches may store a 410 without an explicit lifetime.
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
      description: 'Changes to objects that the user may read, oldest first.',
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { description: 'ID of the change.', type: 'integer' },
          time: { ...text('When it was committed, in UTC.'), format: 'date-time' },
          kind: { ...text('Kind of the object.'), enum: ALL_KINDS },
          object: { description: 'ID of the object, or the name of an option or table.', type: ['integer', 'string'] },
          type: text('Content type, taxonomy or comment type.'),
          change: {
            ...text('What happened to the object, as the user sees it.'),
            enum: ['create', 'update', 'delete'],
          },
          status: text('The new status.'),
          previous_status: text('The previous status.'),
          slug: text('The slug of the object.'),
          tags: { description: 'Cache tags of the object.', type: 'array', items: { type: 'string' } },
        },
      },
    },
    last: { description: 'ID of the last examined change: `since` of the next request.', type: 'integer' },
    more: { description: 'Whether more changes are available.', type: 'boolean' },
  },
}
