import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { escapeHtml } from '../../../../plugins/library/markup/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { query, renderedOf, template } from '../../../helpers/rendered.ts'
import { repeatedIds } from '../../../helpers/repeated-ids.ts'
import { serveOn, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { RENDERED_LINES } from '../../rendering/core-blocks/attribute-table.ts'

const NUMBERED = [
  '<!-- wp:search {"label":"Find"} /-->',
  '<!-- wp:archives {"displayAsDropdown":true} /-->',
  '<!-- wp:categories {"displayAsDropdown":true} /-->',
  '<!-- wp:navigation {"overlayMenu":"always"} --><!-- wp:home-link /--><!-- /wp:navigation -->',
]
const TWICE = `${NUMBERED.join('')}<!-- wp:group --><div>${NUMBERED.join('')}</div><!-- /wp:group -->`

const pageOf = async (url: string) => (await fetch(url)).text()
const idsOf = (html: string) => [...html.matchAll(/\sid=["']([^"']*(?:-block-|modal-)[^"']*)/g)].map(([, id]) => id!)

/** Returns the IDs that labels, fields and buttons refer to. */
const targetsOf = (html: string) =>
  [...html.matchAll(/\s(?:for|form|popovertarget)=["']([^"']*)/g)].map(([, id]) => id!)

async function siteWithPosts(place: (typeof places)[number]): Promise<{ site: Site; twice: number; nested: number }> {
  const site = await serveOn(await place.make())
  const category = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
  const [twice, nested] = await addPosts(
    site.store,
    { title: 'Twice', date: '2020-01-03 00:00:00', content: TWICE, terms: [category] },
    {
      title: 'Nested',
      date: '2020-01-02 00:00:00',
      content: NUMBERED.join('') + query({ perPage: 9, inherit: false }, template('<!-- wp:post-content /-->')),
      terms: [category],
    },
    { title: 'Third', date: '2020-01-01 00:00:00', content: TWICE, terms: [category] },
  )
  return { site, twice: twice!, nested: nested! }
}

for (const place of places) {
  const ids = suite(`IDs of elements in ${place.name}`)

  ids('are those of the place in the post, alone, in lists, in feeds and from the cache', async () => {
    const { site: served, twice, nested } = await siteWithPosts(place)
    await using site = served
    const alone = await renderedOf(site, twice)
    assert.equal(
      idsOf(alone).filter((id) => !id.startsWith('modal-')),
      [1, 2].flatMap((number) =>
        ['search__input', 'archives', 'archives__form', 'categories', 'categories__form'].map(
          (name) => `wp-block-${name}-${number}`,
        ),
      ),
    )
    for (const id of targetsOf(alone)) assert.ok(idsOf(alone).includes(id), id)
    const around = await renderedOf(site, nested)
    assert.equal(repeatedIds(around), [])
    for (const parameters of ['', '&order=asc', '&per_page=2', '&_locale=user']) {
      const list = (await site.json(`/svc/v2/posts?${parameters}`)) as { id: number; content: { rendered: string } }[]
      for (const [id, expected] of [
        [twice, alone],
        [nested, around],
      ] as const)
        assert.is(list.find((post) => post.id === id)?.content.rendered, expected, `${id} ${parameters}`)
    }
    const feed = await pageOf(`${site.home}/?feed=rss2`)
    for (const html of [alone, around]) assert.ok(feed.includes(`<content:encoded>${escapeHtml(html)}</`), 'feed')
  })

  ids('differ on pages, and each label and button refers to one', async () => {
    const { site: served, twice, nested } = await siteWithPosts(place)
    await using site = served
    for (const path of [`?p=${twice}`, `?p=${nested}`, '', '?s=Twice', '?cat=1', '?p=999999']) {
      const html = await pageOf(`${site.home}/${path}`)
      assert.equal(repeatedIds(html), [], path)
      for (const id of targetsOf(html))
        assert.ok(idsOf(html).includes(id) || html.includes(` id="${id}"`), `${path}: ${id}`)
    }
    const html = await pageOf(`${site.home}/?p=${nested}`)
    assert.ok(idsOf(html).length >= 5 * NUMBERED.length)
  })

  ids('differ on a page with two of each block', async () => {
    const { site: served, twice } = await siteWithPosts(place)
    await using site = served
    const blocks = Object.entries(RENDERED_LINES).map(([name, { base = {}, inside = '', around = '%' }]) =>
      around.replace('%', () => `<!-- wp:${name} ${JSON.stringify(base)} -->${inside}<!-- /wp:${name} -->`),
    )
    const [all] = await addPosts(site.store, { title: 'All', content: (blocks.join('') + '[gallery]').repeat(2) })
    await addPosts(site.store, { type: 'attachment', status: 'inherit', parent_id: all, mime_type: 'image/png' })
    const html = await pageOf(`${site.home}/?p=${all}`)
    assert.equal(repeatedIds(html), [])
    assert.ok(html.includes('wp-block-search__input-3'))
    assert.equal(repeatedIds(await pageOf(`${site.home}/?p=${twice}`)), [])
  })

  ids.run()
}
