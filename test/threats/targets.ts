import * as assert from 'uvu/assert'
import { addPosts } from '../helpers/content.ts'
import type { SiteWithUsers } from '../helpers/site-with-users.ts'
import { requestAs, V2 } from './request-as.ts'

export const STYLES = { styles: { color: { text: '#010203' } }, settings: { color: { custom: false } } }

/** An object for each route with an ID. */
export interface Targets {
  /** Returns the path of a route with the ID of its object; null for a route without an object. */
  readonly pathOf: (pattern: string) => string | null
  /** Bodies that create an object, by path. Each contains the word `kept` where it has to be unique. */
  readonly bodies: ReadonlyMap<string, object>
}

/** Creates an object for each route with an ID. */
export async function targetsOf(site: SiteWithUsers): Promise<Targets> {
  const ids = new Map<string, number | string>()
  const bodies = new Map<string, object>()
  const create = async (base: string, body: object, namespace = V2) => {
    const answer = await requestAs(site, 'admin', 'POST', `${namespace}/${base}`, body)
    assert.is(answer.status, 201, `${base}: ${answer.text}`)
    ids.set(`${namespace}/${base}`, answer.body.id as number)
    bodies.set(`${namespace}/${base}`, body)
  }
  const text = { title: 'Kept title', content: 'Kept content', status: 'publish' }
  for (const base of ['posts', 'pages', 'blocks', 'navigation']) await create(base, text)
  for (const base of ['categories', 'tags', 'menus', 'svc_pattern_category'])
    await create(base, { name: `Kept ${base}` })
  await create('comments', { post: ids.get(`${V2}/posts`), content: 'Kept comment' })
  await create('menu-items', { title: 'Kept', url: 'https://kept.example/', status: 'publish' })
  const login = { username: 'kept', email: 'kept@mail.example', password: 'a long pass phrase', roles: ['author'] }
  await create('users', login)
  await create('templates', { slug: 'kept', title: 'Kept', content: 'Kept' })
  await create('template-parts', { slug: 'kept', title: 'Kept', content: 'Kept', area: 'header' })
  const styles = await site.kernel.services.globalStyles.idOf('kept-theme')
  ids.set(`${V2}/global-styles`, styles)
  assert.is((await requestAs(site, 'admin', 'PUT', `${V2}/global-styles/${styles}`, STYLES)).status, 200)
  await create('webhooks', { url: 'https://kept.example/', kinds: ['post'] }, '/svc-webhooks/v1')
  const family = { name: 'Kept', slug: 'kept', fontFamily: 'Kept, serif' }
  await create('font-families', { font_family_settings: JSON.stringify(family) })
  const face = { fontFamily: 'Kept', fontWeight: '400', fontStyle: 'normal', src: 'https://kept.example/kept.woff2' }
  await create(`font-families/${ids.get(`${V2}/font-families`)}/font-faces`, {
    font_face_settings: JSON.stringify(face),
  })
  const passwords = `${V2}/users/${ids.get(`${V2}/users`)}/application-passwords`
  const password = await requestAs(site, 'admin', 'POST', passwords, { name: 'Kept' })
  ids.set(passwords, password.body.uuid as string)
  const webhooks = '/svc-webhooks/v1/webhooks'
  ids.set(`${webhooks}/${ids.get(webhooks)}/deliveries`, 1)
  ids.set('/svc-abilities/v1/abilities', 'core/get-site-info')
  ids.set(`${V2}/plugins`, 'cors')
  ids.set(`${V2}/block-renderer`, 'core/archives')
  const media = { type: 'attachment', status: 'inherit', title: 'Kept', mime_type: 'image/png' }
  ids.set(`${V2}/media`, (await addPosts(site.store, media))[0]!)
  const pathOf = (pattern: string) => {
    let path = pattern
    for (let start = path.indexOf('(?P<'); start >= 0; start = path.indexOf('(?P<')) {
      const id = ids.get(path.slice(0, start - 1))
      if (id === undefined) return null
      path = `${path.slice(0, start)}${id}${path.slice(endOfGroup(path, start))}`
    }
    return path
  }
  return { pathOf, bodies }
}

/** Returns the position behind the group of a pattern. No character class of a route contains a parenthesis. */
export function endOfGroup(pattern: string, start: number): number {
  let depth = 0
  for (let at = start; at < pattern.length; at += 1) {
    if (pattern[at] === '(') depth += 1
    if (pattern[at] === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return pattern.length
}
