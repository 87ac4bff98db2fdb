import * as assert from 'uvu/assert'
import type { NewRow } from '../../../../plugins/storage/store/index.ts'
import { addPosts, type TestPost } from '../../../helpers/content.ts'
import type { SiteWithUsers, UserIds } from '../../../helpers/site-with-users.ts'

// Shared by the tests of previews.

export const FRONT = 'https://front.example'
export const V2 = '/svc/v2'

/** Options of a site with two front ends. */
export const withFrontEnds = {
  plugins: {
    previews: {
      front_ends: {
        main: `${FRONT}/preview?token={token}&id={id}&type={type}&rest_base={rest_base}&slug={slug}`,
        other: 'https://Other.example/{type}/{id}#token={token}',
      },
    },
  },
}

export interface PreviewResponse {
  link: string
  token: string
  expires: string
  front_end: string | null
  revision: number | null
}

/** Requests a preview link for a post. */
export async function linkTo(
  site: SiteWithUsers,
  path: string,
  body: object = {},
  login: keyof UserIds = 'ed',
): Promise<PreviewResponse> {
  const response = await site.send('POST', `${V2}/${path}/preview`, body, login)
  const preview = (await response.json()) as PreviewResponse
  assert.is(response.status, 201, JSON.stringify(preview))
  return preview
}

// oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape of responses
export type Body = any

/** The response for a visitor with a token. */
export async function shownBy(
  site: SiteWithUsers,
  path: string,
  token: string,
  query = '',
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Body }> {
  const mark = path.includes('?') ? '&' : '?'
  const response = await site.get(`${V2}/${path}${mark}preview_token=${encodeURIComponent(token)}${query}`, headers)
  return { status: response.status, headers: response.headers, body: JSON.parse((await response.text()) || 'null') }
}

/** Stores a revision or an autosave of a post. */
export async function addRevision(
  site: SiteWithUsers,
  post: number,
  revision: Partial<NewRow<'posts'>>,
  kind: 'revision' | 'autosave' = 'revision',
): Promise<number> {
  const row = { type: 'revision', status: 'inherit', parent_id: post, slug: `${post}-${kind}-v1`, ...revision }
  return (await addPosts(site.store, row))[0]!
}

export async function addPost(site: SiteWithUsers, post: TestPost): Promise<number> {
  return (await addPosts(site.store, post))[0]!
}
