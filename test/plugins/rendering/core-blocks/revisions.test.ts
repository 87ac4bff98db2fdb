import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import CORE_TYPES from '../../../../plugins/rendering/core-blocks/block-types.json' with { type: 'json' }
import { revisionOf } from '../../../../plugins/rendering/core-blocks/revisions.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'

const revisions = suite('core blocks by revision')

interface Served {
  name: string
  attributes: Readonly<Record<string, unknown>>
}

async function servedTypes(site: Site): Promise<Map<string, Served['attributes']>> {
  const response = await site.get('/svc/v2/block-types/core?_fields=name,attributes', as('editor'))
  const types = (await response.json()) as Served[]
  return new Map(types.map(({ name, attributes }) => [name.slice('core/'.length), attributes]))
}

/** Number of core blocks, and examples of blocks and attributes that a revision has and lacks. */
const SERVED: readonly (readonly [revision: string, count: number, has: string, lacks: string])[] = [
  ['5.9', 71, 'archives latest-comments.displayExcerpt latest-posts.columns', 'archives.type avatar footnotes'],
  ['6.1', 90, 'archives.type avatar post-date.displayType', 'footnotes post-date.datetime page-list.parentPageID'],
  ['6.5', 94, 'footnotes page-list.parentPageID post-excerpt.excerptLength', 'accordion rss.rel categories.taxonomy'],
  ['6.9', 107, 'accordion rss.rel post-date.datetime latest-posts.postLayout', 'icon latest-comments.displayContent'],
  ['7.1', 116, 'icon tabs latest-comments.displayContent', 'latest-comments.displayExcerpt latest-posts.columns'],
]

for (const [revision, count, has, lacks] of SERVED)
  revisions(`serve the blocks and attributes of ${revision}`, async () => {
    await using site = await serve({ revision })
    const types = await servedTypes(site)
    assert.is(types.size, count)
    const isServed = (path: string) => {
      const [name = '', attribute] = path.split('.')
      return types.has(name) && (attribute === undefined || Object.hasOwn(types.get(name)!, attribute))
    }
    for (const path of has.split(' ')) assert.ok(isServed(path), path)
    for (const path of lacks.split(' ')) assert.not.ok(isServed(path), path)
  })

revisions('refuse previews of later blocks, and validate attributes by the revision', async () => {
  await using site = await serve({ revision: '6.1' })
  const preview = async (name: string, attributes = '') => {
    const path = `/svc/v2/block-renderer/core/${name}?context=edit${attributes}`
    const response = await site.get(path, as('editor'))
    const { code, rendered = '' } = (await response.json()) as { code?: string; rendered?: string }
    return code ?? rendered
  }
  assert.is(await preview('breadcrumbs'), 'block_invalid')
  assert.is(await preview('latest-comments', '&attributes[displayContent]=none'), 'rest_invalid_param')
  assert.match(await preview('latest-comments', '&attributes[displayExcerpt]=0'), 'has-dates no-comments')
  assert.match(await preview('latest-posts', '&attributes[postLayout]=grid&attributes[columns]=4'), 'is-grid columns-4')
})

revisions('name existing blocks only', () => {
  const later = Object.keys(CORE_TYPES).filter((name) => revisionOf(name) !== '5.0')
  assert.is(later.length, 82)
})

revisions.run()
