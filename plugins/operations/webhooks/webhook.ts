import type { Change } from '../../storage/store/index.ts'
import type { Asker } from '../../foundation/outgoing/index.ts'

/** Where changes are told. */
export interface Webhook {
  readonly id: number
  readonly name: string
  readonly url: string
  /** `config` for one that the config names: it is changed there alone. */
  readonly source: 'config' | 'site'
  /** The kinds of changes that it is told of: `post`, `term`, `comment`, `user`, `option`, `table`, `tag`; all where it is empty. */
  readonly kinds: readonly string[]
  /** The content types, taxonomies and types of comments that it is told of; all where it is empty. */
  readonly types: readonly string[]
  /** Whether it is told of what visitors do not see. */
  readonly unpublished: boolean
  readonly enabled: boolean
  /** Why it is disabled; `''` where it is not. */
  readonly reason: string
  /** Nothing is sent before this moment, because the receiver asked for it. */
  readonly pausedUntil: Date | null
  /** When the first of the attempts failed of which none has succeeded since. */
  readonly failingSince: Date | null
  readonly created: Date
}

/** What a webhook is made of; all but the URL may be left out. */
export interface NewWebhook {
  readonly url: string
  /** The host of the URL by default. */
  readonly name?: string
  readonly kinds?: readonly string[]
  readonly types?: readonly string[]
  readonly unpublished?: boolean
}

/** What is changed of a webhook. */
export interface WebhookChange extends Partial<NewWebhook> {
  readonly enabled?: boolean
}

/** What a receiver is told. */
export interface WebhookMessage {
  /** `post.created`, `term.updated`, `all.updated` … */
  readonly type: string
  /** When it changed: ISO text, UTC. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Where a delivery is: `queued` behind another one of the same object, `waiting` for its time, `done`, `dead`. */
export type DeliveryState = 'queued' | 'waiting' | 'done' | 'dead'

/** A message for one webhook. */
export interface Delivery {
  readonly id: number
  /** The `webhook-id` that the receiver knows it by. */
  readonly message: string
  readonly webhook: number
  /** Number of the change; 0 for none. */
  readonly change: number
  readonly type: string
  readonly payload: WebhookMessage
  readonly state: DeliveryState
  readonly attempts: number
  readonly due: Date
  /** HTTP status of the last answer; 0 for none. */
  readonly status: number
  /** Why the last attempt failed; `''` where none did. */
  readonly error: string
  readonly created: Date
  /** When it was done or given up. */
  readonly finished: Date | null
}

/** Which deliveries are listed, the newest first. */
export interface DeliveryQuery {
  readonly webhook: number
  readonly state?: DeliveryState
  readonly page: number
  readonly perPage: number
}

/** What came of a test. */
export interface WebhookTest {
  readonly delivered: boolean
  /** HTTP status of the answer; 0 for none. */
  readonly status: number
  /** Why it was not delivered. */
  readonly error: string
  readonly milliseconds: number
}

/** What a message is about, for those who change it. */
export interface WebhookContext {
  readonly webhook: Webhook
  readonly change: Change
}

/** Those who are told of changes over HTTP, by Standard Webhooks 1.0. */
export interface Webhooks {
  /** All, those of the config among them, in the order of their IDs. */
  list(): Promise<Webhook[]>
  /** One by its ID. @throws webhook_not_found */
  get(id: number): Promise<Webhook>
  /**
   * Adds one; it is told of what changes from now on.
   * @returns it with its secret, which is shown this once
   * @throws rest_invalid_param, webhook_too_many
   */
  add(webhook: NewWebhook): Promise<{ webhook: Webhook; secret: string }>
  /**
   * Changes one. One that is enabled again is told that anything may have changed meanwhile.
   * @throws webhook_not_found, webhook_read_only, rest_invalid_param
   */
  change(id: number, change: WebhookChange): Promise<Webhook>
  /** Removes one with its deliveries. @throws webhook_not_found, webhook_read_only */
  remove(id: number): Promise<void>
  /**
   * Gives one a new secret; the one before signs as well for a while.
   * @param seconds for how long; by default as the option `overlap` says
   * @returns the new secret, which is shown this once
   * @throws webhook_not_found, webhook_read_only
   */
  rotate(id: number, seconds?: number): Promise<string>
  /**
   * Sends a message `webhooks.test` at once, whether the webhook is enabled or not.
   * @param asker the user who tests it, or `site`; the request counts for it
   * @throws webhook_not_found
   */
  test(id: number, asker: Asker): Promise<WebhookTest>
  /** What one was told and is to be told, page by page, with the number of all. @throws webhook_not_found */
  deliveries(query: DeliveryQuery): Promise<{ total: number; items: Delivery[] }>
  /** Sends a delivery that is dead or done once more. @throws webhook_delivery_not_found, webhook_delivery_open */
  replay(webhook: number, delivery: number): Promise<Delivery>
  /** Sends all that are dead once more, and tells how many. @param since only those made from this moment on */
  replayDead(webhook: number, since?: Date): Promise<number>
}
