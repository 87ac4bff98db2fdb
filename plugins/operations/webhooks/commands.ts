import type { PluginContext } from '../../../kernel/index.ts'
import { STATES } from './deliveries-controller.ts'
import { webhookArguments } from './input.ts'
import type { Delivery, NewWebhook, Webhook, Webhooks } from './webhook.ts'

const ID = { description: 'ID of the webhook, as svc webhooks lists it.', type: 'integer', required: true } as const
/** Deliveries that are listed unless somebody asks for more. */
const LISTED_DELIVERIES = 20

/** Adds `svc webhooks` and what is below it. */
export function addWebhookCommands({ addCommand }: PluginContext, webhooks: Webhooks): void {
  addCommand('webhooks', {
    summary: 'Lists webhooks: URLs, kinds and types of changes, and why one is disabled.',
    json: true,
    async run({ printData }) {
      printData((await webhooks.list()).map(shownWebhook))
    },
  })
  const { url, name, kinds, types, unpublished } = webhookArguments
  addCommand('webhooks add', {
    summary: 'Adds a URL that is told of changes, and prints its secret, once.',
    args: { url: { ...url, required: true } },
    flags: { name, kinds, types, unpublished },
    json: true,
    async run({ operands, flags, printData }) {
      const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
      const made = await webhooks.add({ url: operands.url, ...(given as Omit<NewWebhook, 'url'>) })
      const { id } = made.webhook
      printData({ id, secret: made.secret }, `The webhook ${id} is told of what changes from now on.\n${made.secret}`)
    },
  })
  addCommand('webhooks remove', {
    summary: 'Removes a webhook with all that it was to be told.',
    args: { id: ID },
    async run({ operands: { id }, print }) {
      await webhooks.remove(id)
      print(`The webhook ${id} is removed.`)
    },
  })
  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    addCommand(`webhooks ${word}`, {
      summary: enabled
        ? 'Tells a webhook of changes again, and first that anything may have changed.'
        : 'Tells a webhook of no changes until it is enabled again.',
      args: { id: ID },
      async run({ operands: { id }, print }) {
        await webhooks.change(id, { enabled })
        print(`The webhook ${id} is ${word}d.`)
      },
    })
  }
  addCommand('webhooks rotate', {
    summary: 'Gives a webhook a new secret, and prints it, once; the old one signs as well for a while.',
    args: { id: ID },
    flags: {
      hours: { description: 'For how long; 24 hours unless the config says otherwise.', type: 'number', minimum: 0 },
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
      const told = delivered ? `It answered ${status} after ${milliseconds} ms.` : `It was not told: ${error}`
      printData({ delivered, status, error, milliseconds }, told)
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
      state: { description: 'Those in this state alone.', type: 'string', enum: STATES },
      count: { description: 'How many.', type: 'integer', minimum: 1, maximum: 1000, default: LISTED_DELIVERIES },
    },
    json: true,
    async run({ operands: { id }, flags: { state, count }, printData }) {
      const query = { webhook: id, page: 1, perPage: count, ...(state !== undefined && { state }) }
      printData((await webhooks.deliveries(query)).items.map(shownDelivery))
    },
  })
  addCommand('webhooks replay', {
    summary: 'Sends failed deliveries again: one of them, or all that are dead.',
    args: { id: ID, delivery: { description: 'ID of the delivery.', type: 'integer' } },
    flags: { since: { description: 'Those made from this moment on alone.', type: 'string', format: 'date-time' } },
    async run({ operands: { id, delivery }, flags: { since }, print }) {
      if (delivery !== undefined) {
        await webhooks.replay(id, delivery)
        return print(`The delivery ${delivery} is sent once more as soon as a server runs.`)
      }
      const count = await webhooks.replayDead(id, since === undefined ? undefined : new Date(since))
      print(`${count} deliveries are sent once more as soon as a server runs.`)
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
