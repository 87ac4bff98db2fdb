import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import type { SiteWithUsers } from '../helpers/site-with-users.ts'
import { addMedia } from '../plugins/content/media/content.ts'
import { requestAs, type Json } from './request-as.ts'

/** A group of a route: `(?P<id>[\d]+)`, `(?P<user_id>(?:[\d]+|me))`. */
const CAPTURE = /\(\?P<(\w+)>((?:\[(?:\\.|[^\]\\])*\]|\\.|[^()[\]\\]|\((?:\[(?:\\.|[^\]\\])*\]|\\.|[^()[\]\\])*\))*)\)/

/** Fields of an item that can be the value of a group, besides the field with the name of the group. */
const IDENTIFIERS = ['id', 'svc_id', 'wp_id', 'slug', 'name', 'stylesheet', 'plugin', 'uuid', 'location', 'type']

/** Registers what the lists of a new site lack. */
export const registered = definePlugin({
  name: 'registered',
  needs: ['fonts', 'menus'],
  apply({ services }) {
    services.menus.registerLocation('primary', 'Primary')
    services.fonts.register('house', { name: 'House', font_families: [] })
  },
})

/** Values of groups by the end of the route before them and their name, if no list contains them. */
const NAMED: readonly (readonly [
  before: RegExp,
  name: string,
  value: string | ((site: SiteWithUsers) => Promise<string>),
])[] = [
  [/\/block-types\/$/, 'namespace', 'core'],
  [/\/block-types\/core\/$/, 'name', 'site-title'],
  [/\/block-renderer\/$/, 'name', 'core/site-title'],
  [/\/global-styles\/themes\/$/, 'stylesheet', 'default'],
  [/\/global-styles\/$/, 'id', styleOf],
  [/\/global-styles\/$/, 'parent', styleOf],
  // A site has no sidebars and widgets.
  [/\/(?:sidebars|widgets|widget-types)\/$/, 'id', 'text-1'],
]

async function styleOf({ kernel }: SiteWithUsers): Promise<string> {
  return String(await kernel.services.globalStyles.idOf('default'))
}

/** Creates an object for every kind of route, as an administrator. */
export async function addObjects(site: SiteWithUsers): Promise<void> {
  const v2 = `/${site.kernel.branding.namespace('v2')}`
  const create = async (path: string, body: object): Promise<Json> => {
    const { status, text, body: created } = await requestAs(site, 'admin', 'POST', path, body)
    assert.ok(status === 200 || status === 201, `${status} for ${path}: ${text}`)
    return created
  }
  await addMedia(site, {})
  for (const base of ['posts', 'pages', 'blocks', 'navigation', 'menu-items']) {
    const link = base === 'menu-items' ? { url: 'https://a.example/' } : {}
    const { id } = await create(`${v2}/${base}`, { title: 'One', content: 'One', status: 'publish', ...link })
    await create(`${v2}/${base}/${id}`, { title: 'Two', content: 'Two' })
    await create(`${v2}/${base}/${id}/autosaves`, { title: 'Three', content: 'Three' })
    if (base === 'posts') await create(`${v2}/comments`, { post: id, content: 'First' })
  }
  for (const base of ['templates', 'template-parts']) {
    const { id } = await create(`${v2}/${base}`, { slug: `for-${base}`, title: 'One', content: 'One' })
    await create(`${v2}/${base}/${id}`, { content: 'Two' })
    await create(`${v2}/${base}/${id}/autosaves`, { content: 'Three' })
  }
  for (const base of ['categories', 'tags', 'menus', site.kernel.branding.typeName('pattern_category')])
    await create(`${v2}/${base}`, { name: 'A term' })
  await create(`${v2}/users/${site.users.admin}/application-passwords`, { name: 'A program' })
  const family = JSON.stringify({ name: 'A', slug: 'a', fontFamily: 'A' })
  const { id } = await create(`${v2}/font-families`, { font_family_settings: family })
  const face = JSON.stringify({ fontFamily: 'A', fontWeight: '400', src: 'https://fonts.example/a.woff2' })
  await create(`${v2}/font-families/${id}/font-faces`, { font_face_settings: face })
  const webhooks = `/${site.kernel.branding.namespace('v1', 'webhooks')}/webhooks`
  await create(webhooks, { url: 'https://hooks.example/', kinds: ['table'] })
  await create(`${v2}/global-styles/${await styleOf(site)}`, { styles: { color: { text: '#111111' } } })
}

/**
 * Returns the path of a route with existing objects: each group gets the value of the first item that the group matches
 * in the list before it; null if there is no such item.
 */
export async function filled(site: SiteWithUsers, pattern: string): Promise<string | null> {
  let path = pattern
  for (;;) {
    const [group, name = '', inside = ''] = CAPTURE.exec(path) ?? []
    if (group === undefined) return path.replaceAll('\\', '')
    const before = path.slice(0, path.indexOf(group))
    const named = NAMED.find(([end, one]) => one === name && end.test(before))?.[2]
    const value =
      named === undefined
        ? await listedValue(site, before.slice(0, -1), name, new RegExp(`^(?:${inside})$`))
        : typeof named === 'string'
          ? named
          : await named(site)
    if (value === null) return null
    path = path.replace(group, () => value)
  }
}

/** Returns the value of a group that the first item of a list contains; null without such an item. */
async function listedValue(site: SiteWithUsers, list: string, name: string, matches: RegExp): Promise<string | null> {
  const { body } = await requestAs(site, 'admin', 'GET', list)
  const items = Object.values((body ?? {}) as Record<string, Json>)
  // A parent is an item of the list, not the parent of an item.
  const fields = name === 'parent' ? IDENTIFIERS : [name, ...IDENTIFIERS]
  for (const item of items) {
    for (const field of fields) {
      const value: unknown = item?.[field]
      if ((typeof value === 'string' || typeof value === 'number') && matches.test(String(value))) return String(value)
    }
  }
  return null
}
