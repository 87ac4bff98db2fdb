import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BlockPatterns } from '../../../plugins/public.ts'
import { as, serve, startOnly } from '../../helpers/site.ts'
import { themeFolder } from '../../helpers/theme-folder.ts'

startOnly('block-patterns')

const patterns = suite('block patterns')

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
  await using site = await serve({ add: [garden], plugins: { themes: { folder: theme.folder } } })
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
