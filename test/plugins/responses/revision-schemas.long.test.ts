import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { REVISIONS, type Revision } from '../../../plugins/library/site-config/index.ts'
import { filePlace } from '../../helpers/stores.ts'
import { serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

// The fields that the schema of each route declares, compared with the fields of its responses in every revision.

const schemas = suite('schemas of revisions')

interface Property {
  readonly context?: readonly string[]
  readonly properties?: Properties
}
type Properties = Readonly<Record<string, Property>>
type Item = Readonly<Record<string, unknown>>

interface Description {
  readonly schema?: { readonly properties?: Properties }
  readonly endpoints?: readonly {
    readonly methods: readonly string[]
    readonly args: Readonly<Record<string, { enum?: readonly string[] }>>
  }[]
}

/** Routes whose response is an object of items by name. */
const BY_NAME = /\/(?:types|taxonomies|statuses|menu-locations)$/

/** Number of items of a list that are compared: the items of a list differ only in their values. */
const MAX_ITEMS = 4

/** Differences that clients of the compared version know, each with the fields and the routes that have it. */
const ACCEPTED: readonly (readonly [route: RegExp, fault: RegExp, reason: string])[] = [
  [/\/blocks/, /^undeclared svc_pattern_sync_status$/, 'a copy of the meta field, which schemas never declared'],
  [/\/(?:revisions|autosaves)/, /^missing (?:content|excerpt)\.(?:protected|block_version)$/, 'revisions have none'],
  [/\/font-faces/, /^missing font_face_settings\./, 'only the settings that the face has'],
  [/\/media/, /^missing (?:exif_orientation|image_\w+)$/, 'only images have them, and the file is a text'],
  [/\/menu-items/, /^missing menus$/, 'the item is in no menu'],
  [/\/templates/, /^missing plugin$/, 'only templates of plugins name one'],
]

const used = new Set<string>()

for (const revision of REVISIONS)
  schemas(
    `declare the fields of every response, and responses in context edit have them all: ${revision}`,
    async () => {
      await using site = await serveWithUsers(filePlace, { revision })
      await fill(site)
      const { faults, compared } = await faultsOf(site)
      assert.equal(faults, [])
      for (const path of ['/svc/v2/posts', '/svc/v2/comments', '/svc/v2/users/me', '/svc/v2/types', '/svc/v2/settings'])
        assert.ok(compared.has(path), path)
      assert.ok([...compared].some((path) => /\/pages\/\d+\/revisions\/\d+$/.test(path)))
      assert.is(compared.has('/svc/v2/menu-items'), isFrom('5.9', revision))
      assert.is(compared.has('/svc/v2/font-families'), isFrom('6.5', revision))
    },
  )

schemas('differ from responses only where a client of that version expects it', () => {
  assert.equal([...used].toSorted(), ACCEPTED.map(([, , reason]) => reason).toSorted())
})

const isFrom = (first: Revision, revision: Revision) => REVISIONS.indexOf(revision) >= REVISIONS.indexOf(first)

/** Creates an item of every kind that the revision has. */
async function fill(site: SiteWithUsers): Promise<void> {
  const create = async (path: string, body: object): Promise<number> => {
    const response = await site.send('POST', path, body, 'admin')
    // Older revisions lack the routes of newer kinds.
    assert.ok([200, 201, 404].includes(response.status), `${path}: ${response.status} ${await response.clone().text()}`)
    return ((await response.json()) as { id: number }).id
  }
  const text = { title: 'Title', content: 'Text', status: 'publish' }
  for (const base of ['posts', 'pages', 'blocks', 'navigation']) {
    const id = await create(`/svc/v2/${base}`, text)
    await create(`/svc/v2/${base}/${id}`, { content: 'Changed' })
    await create(`/svc/v2/${base}/${id}/autosaves`, { content: 'Saved' })
    if (base !== 'posts') continue
    const comment = await create('/svc/v2/comments', { post: id, content: 'First' })
    await create('/svc/v2/comments', { post: id, content: 'Answer', parent: comment })
    await create(`/svc/v2/posts/${id}`, { categories: [await create('/svc/v2/categories', { name: 'A category' })] })
  }
  for (const base of ['tags', 'svc_pattern_category', 'menus']) await create(`/svc/v2/${base}`, { name: `A ${base}` })
  const file = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="notes.txt"' }
  await site.request('/svc/v2/media', { method: 'POST', headers: { ...site.by('admin'), ...file }, body: 'A file' })
  await create('/svc/v2/menu-items', { title: 'A link', url: 'https://example.com/' })
  for (const base of ['templates', 'template-parts']) {
    await create(`/svc/v2/${base}`, { ...text, slug: `a-${base}` })
    await create(`/svc/v2/${base}/default//a-${base}`, { content: 'Changed' })
    await create(`/svc/v2/${base}/default//a-${base}/autosaves`, { content: 'Saved' })
  }
  const family = { name: 'Sans', slug: 'sans', fontFamily: 'Sans' }
  const id = await create('/svc/v2/font-families', { font_family_settings: JSON.stringify(family) })
  const face = { fontFamily: 'Sans', src: 'https://example.com/sans.woff2' }
  await create(`/svc/v2/font-families/${id}/font-faces`, { font_face_settings: JSON.stringify(face) })
  await create('/svc/v2/users/me/application-passwords', { name: 'A program' })
}

/** Compares every route that the administrator can read without arguments, and the items that its response links to. */
async function faultsOf(site: SiteWithUsers): Promise<{ faults: string[]; compared: Set<string> }> {
  const faults: string[] = []
  const compared = new Set<string>()
  const headers = site.by('admin')
  const { routes } = (await site.json('/', headers)) as { routes: Record<string, unknown> }
  const queue = Object.keys(routes).filter((route) => !route.includes('('))
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (compared.has(path)) continue
    const described = (await (await site.request(path, { method: 'OPTIONS', headers })).json()) as Description
    const get = described.endpoints?.find(({ methods }) => methods.includes('GET'))
    const properties = described.schema?.properties
    if (get === undefined || properties === undefined) continue
    for (const context of get.args['context']?.enum ?? ['view']) {
      const response = await site.get(`${path}?context=${context}`, headers)
      // Files of a theme have no revisions, plugins have nothing below them, and some routes require an argument.
      assert.ok(response.status < 500, `${path}: ${response.status}`)
      if (response.status !== 200) continue
      compared.add(path)
      for (const item of itemsOf((await response.json()) as Item | readonly Item[], path)) {
        for (const fault of compare(item, properties, context)) {
          const accepted = ACCEPTED.find(([route, known]) => route.test(path) && known.test(fault))
          if (accepted === undefined) faults.push(`${path} ${context}: ${fault}`)
          else used.add(accepted[2])
        }
        const self = pathOf(item, path)
        if (self !== undefined && !compared.has(self))
          queue.push(self, `${self}/revisions`, `${self}/autosaves`, `${self}/font-faces`)
      }
    }
  }
  return { faults, compared }
}

function itemsOf(body: Item | readonly Item[], path: string): Item[] {
  const items = Array.isArray(body) ? (body as Item[]) : BY_NAME.test(path) ? (Object.values(body) as Item[]) : [body]
  return (items as Item[]).filter((item) => typeof item === 'object').slice(0, MAX_ITEMS)
}

/** Returns the path of an item in a response of `list`. Revisions have no link to themselves. */
function pathOf({ id, svc_id: post = id, _links: links }: Item, list: string): string | undefined {
  if (/\/(?:revisions|autosaves)$/.test(list)) return `${list}/${String(post)}`
  const href = (links as { self?: readonly { href: string }[] } | undefined)?.self?.[0]?.href
  return href === undefined ? undefined : decodeURIComponent(href.split(/svc-json|rest_route=/)[1]!)
}

/** Returns undeclared fields of an item, and declared fields that an item in context edit lacks. */
function compare(item: Item, properties: Properties, context: string, above = ''): string[] {
  const faults: string[] = []
  for (const [name, value] of Object.entries(item)) {
    if (name === '_links') continue
    const property = properties[name]
    if (property === undefined) faults.push(`undeclared ${above}${name}`)
    else if (property.context?.includes(context) === false) faults.push(`of another context ${above}${name}`)
    // Which meta fields a type has is registered, and objects without declared properties have any.
    const inner = name === 'meta' ? {} : (property?.properties ?? {})
    if (Object.keys(inner).length > 0 && typeof value === 'object' && value !== null && !Array.isArray(value))
      faults.push(...compare(value as Item, inner, context, `${above}${name}.`))
  }
  if (context !== 'edit') return faults
  const shown = Object.keys(properties).filter((name) => properties[name]!.context?.includes('edit') !== false)
  return [...faults, ...shown.filter((name) => !(name in item)).map((name) => `missing ${above}${name}`)]
}

schemas.run()
