// Type tests of requests to other servers. `npm run check:types` compiles this file; it is never run.
import type { Oembed } from '../../plugins/rendering/oembed/index.ts'
import type { Outgoing } from '../../plugins/foundation/outgoing/index.ts'
import type { Webhooks } from '../../plugins/operations/webhooks/index.ts'

declare const outgoing: Outgoing
declare const oembed: Oembed
declare const webhooks: Webhooks

// Each request has a requester: the ID of a user, or `site`.
void outgoing.request('https://a.test/', { requester: 7 })
void outgoing.request('https://a.test/', { requester: 'site', method: 'POST' })
// @ts-expect-error -- no requester
void outgoing.request('https://a.test/')
// @ts-expect-error -- no requester
void outgoing.request('https://a.test/', { method: 'POST' })
// @ts-expect-error -- not an ID
void outgoing.request('https://a.test/', { requester: undefined })
// @ts-expect-error -- the only word is `site`
void outgoing.request('https://a.test/', { requester: 'visitor' })

// Services that send requests for their callers require a requester, too.
void oembed.ofUrl('https://a.test/', { requester: 7 })
// @ts-expect-error -- no requester
void oembed.ofUrl('https://a.test/')
void webhooks.test(1, 'site')
// @ts-expect-error -- no requester
void webhooks.test(1)
