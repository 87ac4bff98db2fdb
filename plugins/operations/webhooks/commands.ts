import type { PluginContext } from '../../../kernel/index.ts'
import { STATES } from './deliveries-controller.ts'
import { webhookArguments } from './input.ts'
import type { Delivery, NewWebhook, Webhook, Webhooks } from './webhook.ts'

const ID = { description: 'ID of the webhook, as svc webhooks lists it.', type: 'integer', required: true } as const
/** Deliveries listed by default. */
const LISTED_DELIVERIES = 20

/** Adds `svc webhooks` and its subcommands. */
export function addWebhookCommands({ addCommand }: PluginContext, webhooks: Webhooks): void {
  addCommand('webhooks', {
    summary: 'Lists webhooks with their URLs, the kinds and types of changes they receive, and their state.',
    json: true,
    async run({ printData }) {
      printData((await webhooks.list()).map(shownWebhook))
    },
  })
  const { url, name, kinds, types, unpublished } = webhookArguments
  addCommand('webhooks add', {
    summary: 'Adds a webhook and prints its secret, which is shown only once.',
    args: { url: { ...url, required: true } },
    flags: { name, kinds, types, unpublished },
    json: true,
    async run({ operands, flags, printData }) {
      const options = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
      const added = await webhooks.add({ url: operands.url, ...(options as Omit<NewWebhook, 'url'>) })
      const { id } = added.webhook
      printData({ id, secret: added.secret }, `Webhook ${id} receives all changes from now on.\n${added.secret}`)
    },
  })
  addCommand('webhooks remove', {
    summary: 'Removes a webhook and its pending deliveries.',
    args: { id: ID },
    async run({ operands: { id }, print }) {
      await webhooks.remove(id)
      print(`Webhook ${id} was removed.`)
    },
  })
  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    addCommand(`webhooks ${word}`, {
      summary: enabled
        ? 'Enables a webhook. It is first notified that anything may have changed.'
        : 'Disables a webhook until it is enabled again.',
      args: { id: ID },
      async run({ operands: { id }, print }) {
        await webhooks.change(id, { enabled })
        print(`Webhook ${id} is ${word}d.`)
      },
    })
  }
  addCommand('webhooks rotate', {
    summary: 'Replaces the secret of a webhook and prints the new one once; the old one keeps signing for a while.',
    args: { id: ID },
    flags: {
      hours: {
        description: 'Hours that the old secret keeps signing; 24 unless the config says otherwise.',
        type: 'number',
        minimum: 0,
      },
    },
    json: true,
    async run({ operands: { id }, flags: { hours }, printData }) {
      const secret = await webhooks.rotate(id, hours === undefined ? undefined : hours * 3600)
      printData({ id, secret }, secret)
    },
  })
  addCommand('webhooks test', {
    summary: 'Sends a webhook a test message and prints the result.',
    args: { id: ID },
    json: true,
    async run({ operands: { id }, printData }) {
      const { delivered, status, error, milliseconds } = await webhooks.test(id, 'site')
      const text = delivered
        ? `The receiver responded ${status} after ${milliseconds} ms.`
        : `The test failed: ${error}`
      printData({ delivered, status, error, milliseconds }, text)
      return delivered ? 0 : 1
    },
  })
  addDeliveryCommands(addCommand, webhooks)
}

function addDeliveryCommands(addCommand: PluginContext['addCommand'], webhooks: Webhooks): void {
  addCommand('webhooks deliveries', {
    summary: 'Lists the deliveries of a webhook, the newest first.',
    args: { id: ID },
    flags: {
      state: { description: 'List only deliveries in this state.', type: 'string', enum: STATES },
      count: {
        description: 'Number of deliveries to list.',
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: LISTED_DELIVERIES,
      },
    },
    json: true,
    async run({ operands: { id }, flags: { state, count }, printData }) {
      const query = { webhook: id, page: 1, perPage: count, ...(state !== undefined && { state }) }
      printData((await webhooks.deliveries(query)).items.map(shownDelivery))
    },
  })
  addCommand('webhooks replay', {
    summary: 'Sends one delivery, or all dead deliveries of a webhook, again.',
    args: { id: ID, delivery: { description: 'ID of the delivery.', type: 'integer' } },
    flags: {
      since: { description: 'Send only deliveries created from this moment on.', type: 'string', format: 'date-time' },
    },
    async run({ operands: { id, delivery }, flags: { since }, print }) {
      if (delivery !== undefined) {
        await webhooks.replay(id, delivery)
        return print(`Delivery ${delivery} will be sent again as soon as a server runs.`)
      }
      const count = await webhooks.replayDead(id, since === undefined ? undefined : new Date(since))
      print(`${count} deliveries will be sent again as soon as a server runs.`)
    },
  })
}

function shownWebhook({ id, name, url, kinds, types, unpublished, enabled, reason, source }: Webhook) {
  return {
    id,
    name,
    url,
    kinds: kinds.join(' '),
    types: types.join(' '),
    unpublished,
    source,
    state: enabled ? 'enabled' : `disabled: ${reason}`,
  }
}

function shownDelivery({ id, type, change, state, attempts, due, status, error }: Delivery) {
  return { id, type, change, state, attempts, due: due.toISOString(), status, error }
}
