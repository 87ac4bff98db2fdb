// Type tests of requests to other servers. `npm run check:types` compiles this file; it is never run.
import type { Oembed } from '../../plugins/rendering/oembed/index.ts'
import type { Outgoing } from '../../plugins/foundation/outgoing/index.ts'
import type { Webhooks } from '../../plugins/operations/webhooks/index.ts'

declare const outgoing: Outgoing
declare const oembed: Oembed
declare const webhooks: Webhooks

// Each request has an asker: the ID of a user, or `site`.
void outgoing.request('https://a.test/', { asker: 7 })
void outgoing.request('https://a.test/', { asker: 'site', method: 'POST' })
// @ts-expect-error -- no asker
void outgoing.request('https://a.test/')
// @ts-expect-error -- no asker
void outgoing.request('https://a.test/', { method: 'POST' })
// @ts-expect-error -- not an ID
void outgoing.request('https://a.test/', { asker: undefined })
// @ts-expect-error -- the only word is `site`
void outgoing.request('https://a.test/', { asker: 'visitor' })

// Services that send requests for their callers require an asker, too.
void oembed.ofUrl('https://a.test/', { asker: 7 })
// @ts-expect-error -- no asker
void oembed.ofUrl('https://a.test/')
void webhooks.test(1, 'site')
// @ts-expect-error -- no asker
void webhooks.test(1)
