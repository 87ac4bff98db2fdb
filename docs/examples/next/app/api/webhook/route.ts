import { revalidateTag } from 'next/cache'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

interface Message {
  data?: { tags?: string[] }
}

/** Next.js does not take longer tags. */
const LONGEST = 256

/** Told of a change, forgets the answers that were made of it. The same message twice does no harm. */
export async function POST(request: Request): Promise<Response> {
  const body = await request.text()
  let message: Message
  try {
    const headers = Object.fromEntries(request.headers)
    message = new Webhook(process.env.WEBHOOK_SECRET ?? '').verify(body, headers) as Message
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return Response.json({ error: error.message }, { status: 401 })
  }
  // With `expire: 0` the next visitor waits for the new page instead of seeing the old one once more.
  for (const tag of message.data?.tags ?? []) revalidateTag(tag.length > LONGEST ? '*' : tag, { expire: 0 })
  return new Response(null, { status: 204 })
}
