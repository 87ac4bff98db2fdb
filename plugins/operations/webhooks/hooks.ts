import { action, filter, type Action, type Filter, type HookSpecs } from '../../../kernel/index.ts'
import type { Delivery, Webhook, WebhookContext, WebhookMessage } from './webhook.ts'

/** The hooks of webhooks. */
interface WebhooksHooks {
  /**
   * Filter: what one webhook is about to be told of one change. Add to its `data`, or return null and it is not told. Runs
   * once for each webhook and change, soon after the commit, in one of the processes; what was added is signed and kept
   * with the delivery. Where a tap throws, takes longer than five seconds or returns what is no message,
   * that is logged, and the message goes as it was. @since 0.2.0
   */
  webhook_message: Filter<WebhookMessage | null, [context: WebhookContext]>
  /** Action: every attempt at a delivery has failed; it can be replayed. @since 0.2.0 */
  webhook_dead: Action<[delivery: Delivery, webhook: Webhook]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends WebhooksHooks {}
}

export const webhooksHooks: HookSpecs<WebhooksHooks> = {
  webhook_message: filter('message', 'context'),
  webhook_dead: action('delivery', 'webhook'),
}
