import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BlockPatterns } from '../../../plugins/public.ts'
import { as, serve, startOnly } from '../../helpers/site.ts'
import { themeFolder } from '../../helpers/theme-folder.ts'

startOnly('block-patterns')

const patterns = suite('block patterns')

interface Listed {
  readonly name: string
  readonly title: string
  readonly content: string
  readonly inserter?: boolean
}

const garden = {
  name: 'garden',
  needs: ['block-patterns'],
  apply({ services }: { services: { blockPatterns: BlockPatterns } }) {
    services.blockPatterns.registerCategory('garden', { label: 'Garden' })
    services.blockPatterns.register('garden/bed', { title: 'Bed', content: '<p>Roses</p>', blockTypes: ['core/group'] })
  },
}

patterns('of the theme and of plugins are listed for users who can edit posts', async () => {
  await using theme = await themeFolder({
    'patterns/call.html': '<!--\nTitle: Call\nSlug: plain/call\nViewport Width: 800\n-->\n<p>Call</p>',
  })
  const options = { themes: { folder: theme.folder }, 'block-patterns': { built_in: false } }
  await using site = await serve({ add: [garden], plugins: options })
  await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
  const response = await site.get('/svc/v2/block-patterns/patterns', as('contributor'))
  assert.equal(await response.json(), [
    { name: 'plain/call', title: 'Call', content: '<p>Call</p>', description: '', viewport_width: 800 },
    { name: 'garden/bed', title: 'Bed', content: '<p>Roses</p>', block_types: ['core/group'] },
  ])
  const headers = { ...as('contributor'), 'if-none-match': response.headers.get('etag') ?? '' }
  assert.is((await site.get('/svc/v2/block-patterns/patterns', headers)).status, 304)
  const categories = (await site.json('/svc/v2/block-patterns/categories', as('contributor'))) as { name: string }[]
  assert.equal(categories.at(-1), { name: 'garden', label: 'Garden' })
  for (const route of ['patterns', 'categories']) {
    assert.is((await site.get(`/svc/v2/block-patterns/${route}`)).status, 401)
    assert.is((await site.json(`/svc/v2/block-patterns/${route}`, as('subscriber'))).code, 'rest_cannot_view')
  }
})

patterns('of the built-in default theme are in every theme, after its own, unless they are switched off', async () => {
  await using theme = await themeFolder({
    'patterns/faq.html': '<!--\nTitle: Own questions\nSlug: default/faq\n-->\n<p>Why?</p>',
  })
  const listed = async (options: { stylesheet: string; built_in?: boolean }) => {
    const { stylesheet, ...own } = options
    await using site = await serve({
      plugins: { themes: { folder: theme.folder }, 'block-patterns': own },
    })
    await site.kernel.services.options.set('theme', { stylesheet })
    const all = (await site.json('/svc/v2/block-patterns/patterns', as('contributor'))) as Listed[]
    const pictures = all.flatMap(({ content }) => content.match(/https?:[^"]+\.svg/g) ?? [])
    for (const picture of new Set(pictures)) assert.is((await fetch(picture)).status, 200, picture)
    return all
  }
  const offered = (all: readonly Listed[]) =>
    all
      .filter(({ inserter }) => inserter !== false)
      .map(({ name }) => name)
      .sort()
  const ofDefault = offered(await listed({ stylesheet: 'default' }))
  assert.ok(ofDefault.length > 20, String(ofDefault.length))
  const ofPlain = await listed({ stylesheet: 'plain' })
  assert.is(ofPlain[0]?.title, 'Own questions')
  assert.equal(offered(ofPlain), ofDefault)
  // Patterns that only templates of the default theme use stay in it.
  assert.equal(
    ofPlain.filter(({ inserter }) => inserter === false),
    [],
  )
  assert.equal(offered(await listed({ stylesheet: 'plain', built_in: false })), ['default/faq'])
})

patterns('of the built-in default theme have links that the owner sets, and none to a fixed path', async () => {
  await using theme = await themeFolder()
  await using site = await serve({ plugins: { themes: { folder: theme.folder } } })
  await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
  const all = (await site.json('/svc/v2/block-patterns/patterns', as('contributor'))) as Listed[]
  for (const { name, content } of all) {
    const links = [...content.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)
    assert.equal(
      links.filter((url) => url?.startsWith('/')),
      [],
      name,
    )
  }
  const newsletter = all.find(({ name }) => name === 'default/newsletter')
  assert.match(newsletter?.content ?? '', 'href="#">Subscribe</a>')
})

patterns('without content are refused with their name', async () => {
  const wrong = {
    ...garden,
    apply: ({ services }: Parameters<typeof garden.apply>[0]) =>
      services.blockPatterns.register('garden/bed', { title: 'Bed' } as never),
  }
  const failed = await serve({ add: [wrong] }).catch((cause: unknown) => cause)
  assert.match(String((failed as Error).message), /garden\/bed wrongly: it has no content/)
})

patterns.run()
