import type { APIRoute } from 'astro'
import { WEBHOOK_SECRET } from 'astro:env/server'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { responses } from '../../lib/svc'

interface Message {
  data?: { tags?: string[] }
}

/** Removes responses that depend on the changed data from the cache. Repeated messages are harmless. */
export const POST: APIRoute = async ({ request }) => {
  const body = await request.text()
  let message: Message
  try {
    message = new Webhook(WEBHOOK_SECRET).verify(body, Object.fromEntries(request.headers)) as Message
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return Response.json({ error: error.message }, { status: 401 })
  }
  responses.forget(message.data?.tags ?? [])
  return new Response(null, { status: 204 })
}
