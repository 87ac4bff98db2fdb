import { revalidateTag } from 'next/cache'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

interface Message {
  data?: { tags?: string[] }
}

/** Maximum length of a tag in Next.js. */
const MAX_TAG_LENGTH = 256

/** Removes responses that depend on the changed data from the cache. Repeated messages are harmless. */
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
  // `expire: 0` makes the next visitor wait for the new page instead of seeing the outdated page once more.
  for (const tag of message.data?.tags ?? []) revalidateTag(tag.length > MAX_TAG_LENGTH ? '*' : tag, { expire: 0 })
  return new Response(null, { status: 204 })
}
