import { RequestCache, VISITOR, type Services } from '../../../../kernel/index.ts'
import { OldSite } from '../old-sites/old-site.ts'
import type { Survey } from './survey.ts'
import type { LiveReport } from './types.ts'

interface DeletionParts {
  readonly services: Pick<Services, 'posts' | 'store'>
  readonly home: string
  readonly survey: Survey
  /** Old IDs of the deleted objects, by key of the collection. */
  readonly deleted: Readonly<Record<string, readonly number[]>>
  /** Whether posts are moved to the trash here. */
  readonly isFollowed: boolean
}

/** Lists the objects that the old site has deleted, and moves posts of all types to the trash if that is wished. */
export async function followDeletions(parts: DeletionParts): Promise<LiveReport['deleted']> {
  const { deleted, home, isFollowed, services, survey } = parts
  const all: LiveReport['deleted'] = []
  const map = await OldSite.open(services.store, home)
  for (const { holds, key, slug } of survey.collections) {
    const ids = deleted[key] ?? []
    const isPost = holds === 'items' || holds === 'media'
    const mapped = isPost && isFollowed ? await map.find('post', ids) : new Map<number, { newId: number }>()
    for (const id of ids) {
      const newId = mapped.get(id)?.newId ?? 0
      const name = holds === 'users' ? 'user' : holds === 'comments' ? 'comment' : slug
      all.push({ object: `${name} ${id}`, followed: newId !== 0 && (await trash(services, newId)) })
    }
  }
  return all
}

/** Moves a post to the trash. Returns false if it is there, or does not exist. */
async function trash({ posts }: Pick<Services, 'posts'>, id: number): Promise<boolean> {
  const scope = new RequestCache()
  const post = await posts.get(id, scope)
  if (post === undefined || post === null || post.status === 'trash') return false
  await posts.trash(id, { user: VISITOR, scope })
  return true
}
