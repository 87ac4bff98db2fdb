import { Controller, SCHEMA_DRAFT, type ItemSchema, type Selection } from '../../resources/index.ts'
import {
  RestResponse,
  type Link,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { mayManage } from './permission.ts'
import { readOnly } from './properties.ts'
import type { Delivery, DeliveryState, Webhooks } from './webhook.ts'

const BASE = 'webhooks/(?P<webhook>[\\d]+)/deliveries'
/** States of deliveries. */
export const STATES = ['queued', 'waiting', 'done', 'dead'] as const

/** The routes of deliveries. */
export class DeliveriesController extends Controller<Delivery> {
  readonly #webhooks: Webhooks

  constructor(plugin: PluginContext, webhooks: Webhooks) {
    super(plugin, plugin.branding.namespace('v1', 'webhooks'), BASE, 'webhook-delivery')
    this.#webhooks = webhooks
  }

  override register(server: RestServer): void {
    const permission_callback = mayManage(this.plugin)
    const webhook = { description: 'ID of the webhook.', type: 'integer' } as const
    const id = { description: 'ID of the delivery.', type: 'integer' } as const
    const { page, per_page } = this.collectionParams()
    const state = { description: 'Limits the list to one state.', type: 'string', enum: STATES } as const
    const since = {
      description: 'Replays only deliveries created from this moment on; all by default.',
      type: 'string',
      format: 'date-time',
    } as const
    server.registerRoute(this.namespace, BASE, {
      cache: false,
      args: { webhook },
      0: {
        callback: (request) => this.#list(request),
        permission_callback,
        args: { page: page!, per_page: per_page!, state },
      },
      schema: () => this.publicSchema(),
    })
    server.registerRoute(this.namespace, `${BASE}/replay`, {
      cache: false,
      args: { webhook },
      0: {
        methods: 'POST',
        callback: (request) => this.#replayDead(request),
        permission_callback,
        args: { since },
      },
    })
    server.registerRoute(this.namespace, `${BASE}/(?P<id>[\\d]+)/replay`, {
      cache: false,
      args: { webhook, id },
      0: {
        methods: 'POST',
        callback: async (request) =>
          this.prepare(await this.#webhooks.replay(webhookOf(request), Number(request.get('id'))), request),
        permission_callback,
      },
      schema: () => this.publicSchema(),
    })
  }

  protected override itemSchema(): ItemSchema {
    return {
      $schema: SCHEMA_DRAFT,
      title: 'webhook-delivery',
      type: 'object',
      properties: {
        id: readOnly('ID of the delivery.', { type: 'integer' }),
        message: readOnly('The webhook-id sent to the receiver.', { type: 'string' }),
        webhook: readOnly('ID of the webhook.', { type: 'integer' }),
        change: readOnly('ID of the change; 0 for none.', { type: 'integer' }),
        type: readOnly('Type of the message.', { type: 'string' }),
        payload: readOnly('The message.', { type: 'object' }),
        state: readOnly('queued after another delivery of the same object, waiting until it is due, done, or dead.', {
          type: 'string',
          enum: STATES,
        }),
        attempts: readOnly('Number of attempts.', { type: 'integer' }),
        due: readOnly('When the next attempt is, or was, in UTC.', { type: 'string', format: 'date-time' }),
        status: readOnly('HTTP status of the last response; 0 for none.', { type: 'integer' }),
        error: readOnly('Why the last attempt failed; empty if it did not.', { type: 'string' }),
        created: readOnly('When it was created, in UTC.', { type: 'string', format: 'date-time' }),
        finished: readOnly('When it was done or dead, in UTC.', { type: ['string', 'null'], format: 'date-time' }),
      },
    }
  }

  protected override toData(delivery: Delivery, selection: Selection): Record<string, unknown> {
    const { due, created, finished, ...others } = delivery
    return selection.pick({
      ...others,
      due: due.toISOString(),
      created: created.toISOString(),
      finished: finished?.toISOString() ?? null,
    })
  }

  protected override toLinks({ webhook }: Delivery): Record<string, Link> {
    const href = this.plugin.urls.rest(`/${this.namespace}/webhooks/${webhook}`)
    return { up: { href }, collection: { href: `${href}/deliveries` } }
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const page = request.get('page') as number
    const perPage = request.get('per_page') as number
    const state = request.get('state') as DeliveryState | undefined
    const query = { webhook: webhookOf(request), page, perPage, ...(state !== undefined && { state }) }
    const { total, items } = await this.#webhooks.deliveries(query)
    const response = new RestResponse(await this.prepareList(items, request))
    return this.paginate(response, request, { total, perPage, page })
  }

  async #replayDead(request: RestRequest): Promise<RestResponse> {
    const since = request.get('since')
    const moment = typeof since === 'string' ? new Date(since) : undefined
    return new RestResponse({ replayed: await this.#webhooks.replayDead(webhookOf(request), moment) })
  }
}

function webhookOf(request: RestRequest): number {
  return Number(request.get('webhook'))
}
