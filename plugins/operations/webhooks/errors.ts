import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_cannot_manage_webhooks: [403, 'You may not see or change webhooks on this site.'],
  webhook_not_found: [404, (id: number) => `There is no webhook with the ID ${id}.`],
  webhook_read_only: [
    409,
    (name: string) => `The webhook ${name} is written in the config of the site: change it there, and start again.`,
  ],
  webhook_too_many: [400, (most: number) => `A site has ${most} webhooks at most: remove one first.`],
  webhook_delivery_not_found: [404, (id: number) => `This webhook has no delivery with the ID ${id}.`],
  webhook_delivery_open: [409, (id: number) => `The delivery ${id} is still to be sent: there is nothing to replay.`],
  WEBHOOK_CONFIG_INVALID: (name: string, why: string) => `The webhook ${name} of the config cannot be used: ${why}`,
})
