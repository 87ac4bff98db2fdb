import type { Requester } from '../../foundation/outgoing/index.ts'
import type { Attempts } from './attempt.ts'
import type { ConfigEndpoints } from './config-endpoints.ts'
import type { Deliveries } from './deliveries.ts'
import { shownOf, type Endpoint, type EndpointChange, type Endpoints } from './endpoints.ts'
import { errors } from './errors.ts'
import { columnsOf } from './input.ts'
import { newMessageId, testMessage, type Messages } from './messages.ts'
import { newSecret } from './signature.ts'
import type { Delivery, DeliveryQuery, NewWebhook, Webhook, WebhookChange, Webhooks, WebhookTest } from './webhook.ts'

/** Limits the work per change: each change may be sent to every webhook. */
const MAX_WEBHOOKS = 100

interface ServiceParts {
  readonly endpoints: Endpoints
  readonly deliveries: Deliveries
  readonly messages: Messages
  readonly attempts: Attempts
  readonly config: ConfigEndpoints
  /** Seconds that an old secret keeps signing alongside the new one. */
  readonly overlap: number
}

/** The `webhooks` service: used by plugins, routes and commands. */
export class WebhookService implements Webhooks {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  async list(): Promise<Webhook[]> {
    const { config, endpoints } = this.#parts
    await config.ensure()
    return (await endpoints.all()).map(shownOf)
  }

  async get(id: number): Promise<Webhook> {
    return shownOf(await this.#endpoint(id))
  }

  async add(webhook: NewWebhook): Promise<{ webhook: Webhook; secret: string }> {
    const { config, endpoints } = this.#parts
    await config.ensure()
    const secret = newSecret()
    const { url = '', name = '', ...columns } = columnsOf(webhook)
    const id = await endpoints.change(async () => {
      if ((await endpoints.all()).length >= MAX_WEBHOOKS) throw errors.webhook_too_many(MAX_WEBHOOKS)
      return endpoints.insert({
        ...columns,
        url,
        name: name === '' ? new URL(url).host : name,
        source: 'site',
        secrets: JSON.stringify([{ secret, until: null }]),
        since: await endpoints.newestChange(),
      })
    })
    return { webhook: await this.get(id), secret }
  }

  async change(id: number, change: WebhookChange): Promise<Webhook> {
    const { deliveries, endpoints, messages } = this.#parts
    const { enabled, ...others } = change
    const columns = columnsOf(others)
    await this.#endpoint(id)
    await endpoints.change(async () => {
      // Webhooks of the config can be enabled and disabled here; all other fields are changed in the config.
      const before = Object.keys(columns).length === 0 ? await endpoints.get(id) : await this.#editable(id)
      const isEnabled = enabled === true && !before.enabled
      const newest = await endpoints.newestChange()
      if (columns.name === '') columns.name = new URL(columns.url ?? before.url).host
      const hasNewUrl = columns.url !== undefined && columns.url !== before.url
      // The previous receiver's pause and failures do not apply to the new URL.
      const reset = hasNewUrl ? { paused_until: 0, failing_since: 0 } : {}
      await endpoints.update(id, { ...columns, ...reset, ...enabling(before, enabled, newest) })
      if (hasNewUrl || isEnabled) await deliveries.hasten(id)
      if (isEnabled) await deliveries.add(messages.ofEverything([before], newest))
    })
    return this.get(id)
  }

  async remove(id: number): Promise<void> {
    const { deliveries, endpoints } = this.#parts
    await this.#editable(id)
    await deliveries.removeOf(id)
    await endpoints.change(() => endpoints.remove(id))
  }

  async rotate(id: number, seconds: number = this.#parts.overlap): Promise<string> {
    const { endpoints } = this.#parts
    const secret = newSecret()
    await endpoints.change(async () => {
      const { secrets } = await this.#editable(id)
      const now = Date.now()
      const end = now + seconds * 1000
      const previousSecrets = secrets
        .map((one) => ({ ...one, until: Math.min(one.until ?? end, end) }))
        .filter(({ until }) => until > now)
      await endpoints.update(id, { secrets: JSON.stringify([{ secret, until: null }, ...previousSecrets]) })
    })
    return secret
  }

  async test(id: number, requester: Requester): Promise<WebhookTest> {
    const endpoint = await this.#endpoint(id)
    const body = JSON.stringify(testMessage(endpoint))
    const startedAt = performance.now()
    const { isDelivered, status, error } = await this.#parts.attempts.send(endpoint, newMessageId(), body, requester)
    return { delivered: isDelivered, status, error, milliseconds: Math.round(performance.now() - startedAt) }
  }

  async deliveries(query: DeliveryQuery): Promise<{ total: number; items: Delivery[] }> {
    await this.#endpoint(query.webhook)
    return this.#parts.deliveries.list(query)
  }

  async replay(webhook: number, delivery: number): Promise<Delivery> {
    const { deliveries, endpoints } = this.#parts
    await this.#endpoint(webhook)
    return endpoints.change(() => deliveries.replay(webhook, delivery))
  }

  async replayDead(webhook: number, since?: Date): Promise<number> {
    const { deliveries, endpoints } = this.#parts
    await this.#endpoint(webhook)
    const count = await deliveries.replayDead(webhook, since?.getTime() ?? 0)
    // Notifies the sender.
    await endpoints.change(() => {})
    return count
  }

  /** @throws webhook_not_found */
  async #endpoint(id: number): Promise<Endpoint> {
    const { config, endpoints } = this.#parts
    await config.ensure()
    return endpoints.get(id)
  }

  /**
   * Returns a webhook that can be changed, one not defined in the config. @throws webhook_not_found, webhook_read_only
   */
  async #editable(id: number): Promise<Endpoint> {
    const endpoint = await this.#parts.endpoints.get(id)
    if (endpoint.source === 'config') throw errors.webhook_read_only(endpoint.name)
    return endpoint
  }
}

/** Columns to store when a webhook is enabled or disabled. @param newest ID of the newest change */
function enabling(before: Endpoint, enabled: boolean | undefined, newest: number): EndpointChange {
  if (enabled === undefined || enabled === before.enabled) return {}
  return enabled
    ? { enabled: 1, reason: '', failing_since: 0, paused_until: 0, since: newest }
    : { enabled: 0, reason: 'It was disabled manually.' }
}
