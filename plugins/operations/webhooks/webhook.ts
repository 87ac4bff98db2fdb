import type { Change } from '../../storage/store/index.ts'
import type { Requester } from '../../foundation/outgoing/index.ts'

/** A receiver of changes. */
export interface Webhook {
  readonly id: number
  readonly name: string
  readonly url: string
  /** `config` if it is defined in the config and can only be changed there. */
  readonly source: 'config' | 'site'
  /** Kinds of changes to send: `post`, `term`, `comment`, `user`, `option`, `table`, `tag`; all if empty. */
  readonly kinds: readonly string[]
  /** Content types, taxonomies and comment types whose changes are sent; all if empty. */
  readonly types: readonly string[]
  /** Whether changes that visitors cannot see are sent. */
  readonly unpublished: boolean
  readonly enabled: boolean
  /** Why it is disabled; `''` if it is enabled. */
  readonly reason: string
  /** The receiver asked for a pause: nothing is sent before this moment. */
  readonly pausedUntil: Date | null
  /** When the first of the current series of failed attempts happened; null if the latest one succeeded. */
  readonly failingSince: Date | null
  readonly created: Date
}

/** The fields of a new webhook; only the URL is required. */
export interface NewWebhook {
  readonly url: string
  /** The host of the URL by default. */
  readonly name?: string
  readonly kinds?: readonly string[]
  readonly types?: readonly string[]
  readonly unpublished?: boolean
}

/** The changes to a webhook. */
export interface WebhookChange extends Partial<NewWebhook> {
  readonly enabled?: boolean
}

/** The payload a receiver gets. */
export interface WebhookMessage {
  /** `post.created`, `term.updated`, `all.updated` … */
  readonly type: string
  /** When the change happened: ISO 8601, UTC. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * State of a delivery: `queued` after another one of the same object, `waiting` until it is due, `done`, or `dead`.
 */
export type DeliveryState = 'queued' | 'waiting' | 'done' | 'dead'

/** A message to one webhook. */
export interface Delivery {
  readonly id: number
  /** The `webhook-id` sent to the receiver. */
  readonly message: string
  readonly webhook: number
  /** ID of the change; 0 for none. */
  readonly change: number
  readonly type: string
  readonly payload: WebhookMessage
  readonly state: DeliveryState
  readonly attempts: number
  readonly due: Date
  /** HTTP status of the last response; 0 for none. */
  readonly status: number
  /** Why the last attempt failed; `''` if it did not. */
  readonly error: string
  readonly created: Date
  /** When the delivery was done or dead; null before. */
  readonly finished: Date | null
}

/** The deliveries to list, newest first. */
export interface DeliveryQuery {
  readonly webhook: number
  readonly state?: DeliveryState
  readonly page: number
  readonly perPage: number
}

/** The result of a test. */
export interface WebhookTest {
  readonly delivered: boolean
  /** HTTP status of the response; 0 for none. */
  readonly status: number
  /** Why it was not delivered. */
  readonly error: string
  readonly milliseconds: number
}

/** The webhook and the change a message is about. */
export interface WebhookContext {
  readonly webhook: Webhook
  readonly change: Change
}

/** Manages webhooks and their deliveries (Standard Webhooks 1.0). */
export interface Webhooks {
  /** Lists all webhooks. */
  list(): Promise<Webhook[]>
  /** Returns a webhook by its ID. @throws webhook_not_found */
  get(id: number): Promise<Webhook>
  /**
   * Adds a webhook; it is sent changes from now on.
   * @returns the webhook and its secret, which is not returned again
   * @throws rest_invalid_param, webhook_too_many
   */
  add(webhook: NewWebhook): Promise<{ webhook: Webhook; secret: string }>
  /**
   * Changes a webhook. If that enables it again, it is notified that anything may have changed in the meantime.
   * @throws webhook_not_found, webhook_read_only, rest_invalid_param
   */
  change(id: number, change: WebhookChange): Promise<Webhook>
  /** Removes a webhook and its deliveries. @throws webhook_not_found, webhook_read_only */
  remove(id: number): Promise<void>
  /**
   * Replaces the secret of a webhook; the previous secret keeps signing for a while.
   * @param seconds how long it keeps signing; the option `overlap` by default
   * @returns the new secret, which is not returned again
   * @throws webhook_not_found, webhook_read_only
   */
  rotate(id: number, seconds?: number): Promise<string>
  /**
   * Sends the message `webhooks.test` immediately, even if the webhook is disabled.
   * @param requester the user who tests it, or `site`; the request counts toward its limit
   * @throws webhook_not_found
   */
  test(id: number, requester: Requester): Promise<WebhookTest>
  /** One page of the deliveries of a webhook, and their total. @throws webhook_not_found */
  deliveries(query: DeliveryQuery): Promise<{ total: number; items: Delivery[] }>
  /** Sends a delivery again that is dead or done. @throws webhook_delivery_not_found, webhook_delivery_open */
  replay(webhook: number, delivery: number): Promise<Delivery>
  /** Sends all dead deliveries again and returns their number. @param since only those created from this moment on */
  replayDead(webhook: number, since?: Date): Promise<number>
}
