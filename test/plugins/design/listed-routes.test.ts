import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, type ServeOptions } from '../../helpers/site.ts'

const listed = suite('types and taxonomies')

/** Plugins that register types and taxonomies with routes, or change the ones of other plugins. */
const OWNERS = [
  'templates',
  'navigation',
  'menus',
  'global-styles',
  'block-patterns',
  'fonts',
  'media',
  'editor-ajax',
  'core-blocks',
  'editor',
] as const

/** Returns the listed types and taxonomies whose routes do not exist. */
async function missing(options: ServeOptions): Promise<string[]> {
  await using site = await serve(options)
  const read = async (path: string) => (await site.request(path, { headers: as('administrator') })).json()
  const found: string[] = []
  for (const list of ['types', 'taxonomies']) {
    const response = await site.request(`/svc/v2/${list}?context=edit`, { headers: as('administrator') })
    if (response.status === 404) continue
    const all = (await response.json()) as Record<string, { rest_base: string; rest_namespace?: string }>
    for (const [name, { rest_base: base, rest_namespace: namespace = 'svc/v2' }] of Object.entries(all)) {
      // Global styles have an item route, but no list. The base of font faces is the pattern of their routes.
      const path = base.replace('(?P<font_family_id>[\\d]+)', '1')
      const answers = await Promise.all(['', '/1'].map((end) => read(`/${namespace}/${path}${end}`)))
      if (answers.every((answer) => (answer as { code?: string }).code === 'rest_no_route')) found.push(name)
    }
  }
  return found
}

for (const revision of ['4.4', '5.4', '5.9', '6.1', '6.5', 'latest'] as const) {
  listed(`list only existing routes in revision ${revision}`, async () => {
    assert.equal(await missing({ revision }), [])
  })
}

listed('list only existing routes without the plugins that register them', async () => {
  assert.equal(await missing({ plugins: Object.fromEntries(OWNERS.map((name) => [name, false])) }), [])
})

listed.run()
