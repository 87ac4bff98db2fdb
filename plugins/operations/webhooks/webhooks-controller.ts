import { Controller, SCHEMA_DRAFT, type ItemSchema, type Selection } from '../../resources/index.ts'
import {
  RestResponse,
  type EndpointGroup,
  type Link,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { webhookArguments } from './input.ts'
import { mayManage } from './permission.ts'
import { readOnly, shown } from './properties.ts'
import type { Webhook, WebhookChange, Webhooks } from './webhook.ts'

/** A webhook in a response, with its secret if that was just created. */
type Shown = Webhook & { readonly secret?: string }

/** One year: no receiver needs an old secret for longer. */
const MAX_OVERLAP_HOURS = 8760
const ID = '(?P<id>[\\d]+)'

/** The routes of webhooks. */
export class WebhooksController extends Controller<Shown> {
  readonly #webhooks: Webhooks

  constructor(plugin: PluginContext, webhooks: Webhooks) {
    super(plugin, plugin.branding.namespace('v1', 'webhooks'), 'webhooks', 'webhook')
    this.#webhooks = webhooks
  }

  override register(server: RestServer): void {
    const schema = () => this.publicSchema()
    const { url, types, ...plain } = webhookArguments
    const others = { ...plain, types: { ...types, references: 'webhook_type' } }
    const enabled = { description: 'Whether changes are sent to it.', type: 'boolean' } as const
    const id = { id: { description: 'ID of the webhook.', type: 'integer' } } as const
    const add = (request: RestRequest) => this.#add(request)
    const change = (request: RestRequest) => this.#change(request)
    server.registerRoute(this.namespace, this.restBase, {
      cache: false,
      0: this.#endpoint('GET', (request) => this.#list(request)),
      1: this.#endpoint('POST', add, { url: { ...url, required: true }, ...others }),
      schema,
    })
    server.registerRoute(this.namespace, `${this.restBase}/${ID}`, {
      cache: false,
      args: id,
      0: this.#endpoint('GET', async (request) => this.prepare(await this.#webhooks.get(idOf(request)), request)),
      1: this.#endpoint(['POST', 'PUT', 'PATCH'], change, { url, ...others, enabled }),
      2: this.#endpoint('DELETE', (request) => this.#remove(request)),
      schema,
    })
    const overlap = {
      description: 'Hours that the old secret keeps signing; the option "overlap" by default.',
      type: 'number',
      minimum: 0,
      maximum: MAX_OVERLAP_HOURS,
    } as const
    server.registerRoute(this.namespace, `${this.restBase}/${ID}/secret`, {
      cache: false,
      args: id,
      0: this.#endpoint('POST', (request) => this.#rotate(request), { overlap }),
    })
    server.registerRoute(this.namespace, `${this.restBase}/${ID}/test`, {
      cache: false,
      args: id,
      0: this.#endpoint(
        'POST',
        async (request) => new RestResponse(await this.#webhooks.test(idOf(request), request.user.id)),
      ),
    })
  }

  protected override itemSchema(): ItemSchema {
    const moment = { type: ['string', 'null'], format: 'date-time' } as const
    return {
      $schema: SCHEMA_DRAFT,
      title: 'webhook',
      type: 'object',
      properties: {
        id: readOnly('ID of the webhook.', { type: 'integer' }),
        ...Object.fromEntries(Object.entries(webhookArguments).map(([name, schema]) => [name, shown(schema)])),
        source: readOnly('Where it was created: webhooks from the config can only be changed there.', {
          type: 'string',
          enum: ['config', 'site'],
        }),
        enabled: shown({ description: 'Whether changes are sent to it.', type: 'boolean' }),
        reason: readOnly('Why it is disabled; empty if it is enabled.', { type: 'string' }),
        paused_until: readOnly('The receiver asked for a pause: nothing is sent before this time, in UTC.', moment),
        failing_since: readOnly('Time since which every attempt has failed, in UTC.', moment),
        created: readOnly('When it was created, in UTC.', { type: 'string', format: 'date-time' }),
        secret: readOnly('The secret that messages are signed with. It is shown only once, when it is created.', {
          type: 'string',
        }),
      },
    }
  }

  protected override toData(webhook: Shown, selection: Selection): Record<string, unknown> {
    const { pausedUntil, failingSince, created, secret, ...others } = webhook
    return selection.pick({
      ...others,
      paused_until: pausedUntil?.toISOString() ?? null,
      failing_since: failingSince?.toISOString() ?? null,
      created: created.toISOString(),
      ...(secret !== undefined && { secret }),
    })
  }

  protected override toLinks({ id }: Shown): Record<string, Link> {
    return {
      self: { href: this.href(id) },
      collection: { href: this.href() },
      [this.plugin.branding.relation('deliveries')]: { href: `${this.href(id)}/deliveries` },
    }
  }

  #endpoint(
    methods: EndpointGroup['methods'] & {},
    callback: EndpointGroup['callback'] & {},
    args: EndpointGroup['args'] & {} = {},
  ): EndpointGroup {
    return { methods, callback, args, permission_callback: mayManage(this.plugin) }
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const all = await this.#webhooks.list()
    const response = new RestResponse(await this.prepareList(all, request))
    return this.paginate(response, request, { total: all.length, perPage: Math.max(all.length, 1), page: 1 })
  }

  async #add(request: RestRequest): Promise<RestResponse> {
    const { url, ...others } = changeOf(request)
    const { webhook, secret } = await this.#webhooks.add({ url: url!, ...others })
    const response = await this.prepare({ ...webhook, secret }, request)
    response.status = 201
    response.headers.set('Location', this.href(webhook.id))
    return response
  }

  async #change(request: RestRequest): Promise<RestResponse> {
    return this.prepare(await this.#webhooks.change(idOf(request), changeOf(request)), request)
  }

  async #remove(request: RestRequest): Promise<RestResponse> {
    const previous = await this.prepare(await this.#webhooks.get(idOf(request)), request)
    await this.#webhooks.remove(idOf(request))
    return new RestResponse({ deleted: true, previous: previous.data })
  }

  async #rotate(request: RestRequest): Promise<RestResponse> {
    const hours = request.get('overlap') as number | undefined
    const secret = await this.#webhooks.rotate(idOf(request), hours === undefined ? undefined : hours * 3600)
    return this.prepare({ ...(await this.#webhooks.get(idOf(request))), secret }, request)
  }
}

function idOf(request: RestRequest): number {
  return Number(request.get('id'))
}

function changeOf(request: RestRequest): WebhookChange {
  const names = [...Object.keys(webhookArguments), 'enabled']
  const entries = names.map((name) => [name, request.get(name)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
