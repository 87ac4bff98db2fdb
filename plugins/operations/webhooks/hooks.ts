import { action, filter, type Action, type Filter, type HookSpecs } from '../../../kernel/index.ts'
import type { Delivery, Webhook, WebhookContext, WebhookMessage } from './webhook.ts'

interface WebhooksHooks {
  /**
   * Filter: the message to one webhook about one change. Add to its `data`, or return null to send nothing. Runs once
   * for each webhook and change, soon after the commit, in one of the processes. Additions are signed and stored with
   * the delivery. If a tap throws, takes longer than five seconds or returns an invalid message, the error is logged
   * and the message is sent without its changes. @since 0.1.0
   */
  webhook_message: Filter<WebhookMessage | null, [context: WebhookContext]>
  /** Action: every attempt at a delivery has failed; it can be replayed. @since 0.1.0 */
  webhook_dead: Action<[delivery: Delivery, webhook: Webhook]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends WebhooksHooks {}
}

export const webhooksHooks: HookSpecs<WebhooksHooks> = {
  webhook_message: { ...filter('message', 'context'), json: (message) => message },
  webhook_dead: action('delivery', 'webhook'),
}
