import type { Api } from './api.ts'
import type { SiteUsers } from './users.ts'
import { upload } from './uploading.ts'

/** IDs of existing objects by the last segment of the route that lists them. `versions` are revisions and autosaves. */
export type Sample = Readonly<Record<string, readonly number[]>>

/** Number of objects of each kind. */
const OBJECTS_PER_KIND = 6
const V2 = '/svc/v2'
const STATUSES = ['publish', 'publish', 'draft', 'private', 'pending', 'future'] as const

/** Fills a new site with objects of all kinds. The result, including IDs, is always the same. */
export async function makeSample(api: Api, users: SiteUsers): Promise<Sample> {
  const ids: Record<string, number[]> = { users: Object.values(users.ids) }
  const make = async (base: string, body: object) => {
    const { status, body: item, text } = await api('POST', `${V2}/${base}`, body)
    if (status !== 201) throw new Error(`The sample has no ${base}: ${text.slice(0, 200)}`)
    ;(ids[base] ??= []).push(item.id)
    return item.id as number
  }
  for (let index = 0; index < OBJECTS_PER_KIND; index += 1) {
    await make('categories', { name: `Category ${index}` })
    await make('tags', { name: `Tag ${index}` })
    ;(ids['media'] ??= []).push(await upload(api))
    const content = `<!-- svc:paragraph --><p>Text ${index} with <em>words</em> and [gallery ids="1"]</p><!-- /svc:paragraph -->`
    const more = { status: STATUSES[index], ...(STATUSES[index] === 'future' && { date: '2190-01-01T00:00:00' }) }
    for (const base of ['posts', 'pages', 'blocks', 'navigation']) {
      const id = await make(base, { title: `${base} ${index}`, content, ...more })
      await api('POST', `${V2}/${base}/${id}`, { content: `${content} changed` })
      await api('POST', `${V2}/${base}/${id}/autosaves`, { content: `${content} saved aside` })
      const versions = await api('GET', `${V2}/${base}/${id}/revisions`)
      if (Array.isArray(versions.body)) (ids['versions'] ??= []).push(...versions.body.map(({ id }) => id as number))
    }
    await make('comments', { post: ids['posts']![0], content: `Comment ${index}` })
  }
  return ids
}
