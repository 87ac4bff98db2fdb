import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_cannot_manage_webhooks: [403, 'Sorry, you are not allowed to manage webhooks on this site.'],
  webhook_not_found: [404, (id: number) => `There is no webhook with the ID ${id}.`],
  webhook_read_only: [
    409,
    (name: string) => `The webhook "${name}" is defined in the config. Change it there and restart the server.`,
  ],
  webhook_too_many: [400, (limit: number) => `The site already has ${limit} webhooks, the maximum. Remove one first.`],
  webhook_delivery_not_found: [404, (id: number) => `This webhook has no delivery with the ID ${id}.`],
  webhook_delivery_open: [
    409,
    (id: number) => `The delivery ${id} is still waiting to be sent and cannot be replayed.`,
  ],
  WEBHOOK_CONFIG_INVALID: (name: string, reason: string) => `The webhook "${name}" in the config is invalid: ${reason}`,
})
