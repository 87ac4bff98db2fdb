import { definePlugin } from '../../../kernel/index.ts'
import { Attempts } from './attempt.ts'
import { addWebhookCommands } from './commands.ts'
import { ConfigEndpoints, type ConfigWebhook } from './config-endpoints.ts'
import { Deliveries } from './deliveries.ts'
import { DeliveriesController } from './deliveries-controller.ts'
import { Endpoints } from './endpoints.ts'
import { webhooksHooks } from './hooks.ts'
import { KINDS } from '../change-feed/index.ts'
import { Messages } from './messages.ts'
import { Planner } from './planner.ts'
import { registerReferences } from './references.ts'
import { WebhookService } from './service.ts'
import { Starter } from './starter.ts'
import type { Webhooks } from './webhook.ts'
import { WebhooksController } from './webhooks-controller.ts'

export type { ConfigWebhook } from './config-endpoints.ts'
export type {
  Delivery,
  DeliveryQuery,
  DeliveryState,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookContext,
  WebhookMessage,
  Webhooks,
  WebhookTest,
} from './webhook.ts'

/** Which servers are notified of changes, and how deliveries are retried. */
export interface WebhooksOptions {
  /** Webhooks defined in the config, by name, in addition to those created over the REST API. */
  endpoints: Readonly<Record<string, ConfigWebhook>>
  /** Hosts and networks that webhooks may reach in addition to public ones: `127.0.0.1:3000`, `10.0.0.0/8`. */
  allow: readonly string[]
  /** Seconds a receiver has to respond. */
  timeout: number
  /** Maximum number of concurrent requests to one webhook. */
  concurrency: number
  /** Seconds before each further attempt, ±20 %. After the last attempt the delivery is dead. */
  schedule: readonly number[]
  /** Days without a successful attempt after which a webhook is disabled. */
  disable_after: number
  /** Days for which finished and dead deliveries are stored. */
  retention_days: number
  /** Hours that an old secret keeps signing alongside the new one. */
  overlap: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Notifies other servers of changes over HTTP.
     * @example
     * const { webhook, secret } = await services.webhooks.add({ url: 'https://front.example/hook', kinds: ['post'] })
     */
    webhooks: Webhooks
  }
}

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
const text = { type: 'string', minLength: 1 } as const

/** Notifies other servers of changes (Standard Webhooks 1.0): at least once, and in order for each object. */
export default definePlugin<WebhooksOptions>({
  name: 'webhooks',
  needs: ['resources', 'store', 'changes', 'jobs', 'roles', 'outgoing', 'change-feed'],
  provides: ['webhooks'],
  // Webhooks can be limited to types of content, terms and comments.
  uses: ['content-types', 'taxonomies', 'comments'],
  hooks: webhooksHooks,
  formerOptions: { at_once: 'concurrency', keep: 'retention_days' },
  options: {
    endpoints: {
      default: {},
      type: 'object',
      maxProperties: 100,
      propertyNames: { minLength: 1, maxLength: 100 },
      additionalProperties: {
        type: 'object',
        properties: {
          url: text,
          secret: { ...text, secret: true },
          old_secret: { ...text, secret: true },
          kinds: { type: 'array', items: { type: 'string', enum: KINDS }, uniqueItems: true },
          types: { type: 'array', items: text, uniqueItems: true },
          unpublished: { type: 'boolean' },
        },
        required: ['url', 'secret'],
        additionalProperties: false,
      },
    },
    allow: { default: [], type: 'array', items: { type: 'string' } },
    timeout: { default: 15, type: 'number', minimum: 0.1, maximum: 60 },
    concurrency: { default: 10, type: 'integer', minimum: 1, maximum: 100 },
    schedule: {
      default: [
        5,
        5 * MINUTE_SECONDS,
        30 * MINUTE_SECONDS,
        2 * HOUR_SECONDS,
        5 * HOUR_SECONDS,
        10 * HOUR_SECONDS,
        14 * HOUR_SECONDS,
        20 * HOUR_SECONDS,
        24 * HOUR_SECONDS,
      ],
      type: 'array',
      items: { type: 'number', minimum: 0, maximum: 30 * 24 * HOUR_SECONDS },
      maxItems: 100,
    },
    disable_after: { default: 5, type: 'number', exclusiveMinimum: 0 },
    retention_days: { default: 7, type: 'number', minimum: 0 },
    overlap: { default: 24, type: 'number', minimum: 0 },
  },
  apply(plugin, options) {
    const { hooks, onRemove, provide, services } = plugin
    const { store, changes, changeHistory } = services
    const config = new ConfigEndpoints(options.endpoints)
    const deliveries = new Deliveries(store)
    const endpoints = new Endpoints(store, deliveries, (name) => config.secretsOf(name))
    config.storeIn(endpoints)
    const messages = new Messages(plugin)
    const planner = new Planner(plugin, endpoints, deliveries, messages)
    const attempts = new Attempts(plugin, options)
    const overlap = options.overlap * HOUR_SECONDS
    const webhooks = new WebhookService({ endpoints, deliveries, messages, attempts, config, overlap })
    provide('webhooks', webhooks)
    const starter = new Starter({ plugin, endpoints, deliveries, planner, attempts, options }, options.retention_days)
    changes.onCommit((own) => starter.handleChanges(own, true))
    changes.onOthers((others) => starter.handleChanges(others, false))
    changeHistory.retainFrom(async () => (endpoints.enabled === 0 ? null : ((await deliveries.cursor()) ?? null)))
    registerReferences(plugin, webhooks)
    hooks.rest_api_init.tap('webhooks', (server) => {
      new WebhooksController(plugin, webhooks).register(server)
      new DeliveriesController(plugin, webhooks).register(server)
    })
    addWebhookCommands(plugin, webhooks)
    hooks.server_listening.tapPromise({ name: 'webhooks', stage: 110 }, () => starter.start(config))
    onRemove(() => starter.stop(), 'webhook starter')
  },
})
