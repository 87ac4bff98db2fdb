import type { ServeOptions, Site } from '../../../helpers/site.ts'
import { serveWithUsers, type SiteWithUsers, type UserIds } from '../../../helpers/site-with-users.ts'
import type { Place } from '../../../helpers/stores.ts'
import { receive, type Answer } from '../../../helpers/receiver.ts'
import { until } from '../../../helpers/until.ts'

export const BASE = '/svc-webhooks/v1/webhooks'

/** Retries immediately, so that no test waits. */
export const QUICK = { allow: ['127.0.0.1:*'], schedule: [0.01, 0.01, 0.01], timeout: 60 }

/** A webhook in a response. */
export interface Shown {
  id: number
  secret: string
  enabled: boolean
  reason: string
  paused_until: string | null
  failing_since: string | null
  [key: string]: unknown
}

/** A site with a receiver. Its webhook is sent all changes that visitors see, unless `webhook` says otherwise. */
export async function hooked(
  place: () => Promise<Place>,
  { answer, webhook = {}, options = {}, ...serveOptions }: HookedOptions = {},
) {
  const receiver = await receive(answer)
  const site = await serveWithUsers(place, {
    ...serveOptions,
    plugins: { webhooks: { ...QUICK, ...options }, ...serveOptions.plugins },
  }).catch(async (error: unknown) => {
    await receiver[Symbol.asyncDispose]()
    throw error
  })
  const created = webhook === null ? null : await addWebhook(site, { url: receiver.url, ...webhook })
  const deliveries = async (query = '') => {
    const response = await site.send(
      'GET',
      `${BASE}/${created!.id}/deliveries?per_page=100${query}`,
      undefined,
      'admin',
    )
    return (await response.json()) as { id: number; state: string; [key: string]: unknown }[]
  }
  return {
    site,
    receiver,
    /** The webhook as it was created. */
    webhook: created!,
    /** The current webhook. */
    now: async () => (await (await site.send('GET', `${BASE}/${created!.id}`, undefined, 'admin')).json()) as Shown,
    deliveries,
    /** Waits until all changes are processed and no delivery is open. */
    waitForDeliveries: () => until(async () => (await behind(site)) === 0 && (await open(site)) === 0),
    post: async (title: string, more: object = {}, login: keyof UserIds = 'ed') => {
      const response = await site.send('POST', '/svc/v2/posts', { title, status: 'publish', ...more }, login)
      return ((await response.json()) as { id: number }).id
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

export interface HookedOptions extends ServeOptions {
  answer?: Answer
  webhook?: object | null
  options?: object
}

/** Adds a webhook as an administrator. */
export async function addWebhook(site: SiteWithUsers, webhook: object): Promise<Shown> {
  return (await (await site.send('POST', BASE, webhook, 'admin')).json()) as Shown
}

async function open({ store }: Site): Promise<number> {
  const { db } = store
  const query = db.selectFrom('webhook_deliveries').select('id').where('state', 'in', ['queued', 'waiting'])
  return (await store.all(query, [])).length
}

/** Number of unprocessed changes, without those that announce jobs. */
async function behind({ store }: Site): Promise<number> {
  const { db } = store
  const cursor = await store.first(db.selectFrom('webhook_cursor').selectAll(), [])
  const query = db
    .selectFrom('changes')
    .select('id')
    .where('id', '>', cursor?.change_id ?? Infinity)
  return (await store.all(query.where('tags', '<>', '["jobs"]'), [])).length
}
