import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fitToSite, readSiteFile } from '../../../../plugins/operations/importer/site-file.ts'
import { definePlugin } from '../../../../kernel/index.ts'
import { serve, startOnly } from '../../../helpers/site.ts'

startOnly('importer')

const site = suite('site file')

site('replaces {{home}} with the home URL', async () => {
  const read = readSiteFile(
    await readFile(new URL('../../../fixtures/garden.site.json', import.meta.url), 'utf8'),
    'https://new.test',
  )
  assert.is(read.users?.[0]?.url, 'https://new.test/rosa')
  assert.is(read.settings?.['title'], 'Our Garden')
})

site('can be empty', () => {
  assert.equal(readSiteFile('{}', 'https://new.test'), {})
})

site('S25: loses characters that the database cannot store', () => {
  const source = String.raw`{"users":[{"login":"a\u0000b\ud800c","meta":{"k\u0001":["\u007f\u0085d\udc00"]}}],"theme":{"name":"e\u001bf"}}`
  assert.equal(readSiteFile(source, ''), {
    users: [{ login: 'ab\uFFFDc', meta: { 'k\uFFFD': ['d\uFFFD'] } }],
    theme: { name: 'ef' },
  })
})

site('converts the options of a dump to the settings and types of this site', () => {
  const options = {
    blogname: 'Garden',
    wp_page_for_privacy_policy: '3',
    thumbnail_size_w: '120',
    thumbnail_crop: '1',
    medium_size_h: '0',
    uploads_use_yearmonth_folders: '',
    garden_beds: '4',
  }
  assert.equal(readSiteFile(JSON.stringify({ options }), ''), {
    settings: { title: 'Garden', page_for_privacy_policy: 3 },
    options: {
      thumbnail_size_w: 120,
      thumbnail_crop: true,
      medium_size_h: 0,
      uploads_use_yearmonth_folders: false,
      garden_beds: '4',
    },
  })
})

site('is rejected with an error that names the fault', () => {
  const wrong = new Map([
    ['{', /not valid JSON/],
    ['[]', /must be object/],
    ['{"user": []}', /\(user\)/],
    ['{"users": [{}]}', /"users\/0" must have required property 'login'/],
    ['{"users": [{"login": "a", "id": 0}]}', /"users\/0\/id"/],
    ['{"users": [{"login": "a", "rolle": "editor"}]}', /"users\/0" .*\(rolle\)/],
    ['{"theme": {"stylesheets": "a"}}', /"theme" .*\(stylesheets\)/],
    [`{"users": [{"login": "a", "slug": "${'s'.repeat(201)}"}]}`, /"users\/0\/slug"/],
    [`{"users": [{"login": "a", "meta": {"${'k'.repeat(256)}": 1}}]}`, /"users\/0\/meta"/],
    ['{"users": [{"login": "a", "registered": "2020-99-99"}]}', /"registered" of the user a/],
    ['{"users": [{"login": "a"}, {"login": "A"}]}', /two users have the login A/],
  ])
  for (const [source, message] of wrong) {
    assert.throws(
      () => readSiteFile(source, ''),
      (error: Error & { code: string }) => error.code === 'IMPORT_SITE_INVALID' && message.test(error.message),
      source,
    )
  }
})

site('stores settings of any plugin in their options', async () => {
  const shop = definePlugin({
    name: 'shop',
    needs: ['settings'],
    apply({ services }) {
      services.settings.register('shop_currency', { type: 'string', show_in_rest: { name: 'currency' } })
      services.settings.register('shop_key', { type: 'string' })
    },
  })
  await using on = await serve({ add: [shop] })
  const settings = { title: 'Tea <3', posts_per_page: '5', currency: 'EUR', shop_key: 'k', email: null }
  const users = [{ login: 'a', role: 'editor' }, { login: 'b' }]
  assert.equal(fitToSite({ users, settings }, on.kernel.services), {
    users,
    settings: { title: 'Tea &lt;3', posts_per_page: 5, shop_currency: 'EUR', shop_key: 'k' },
  })
  assert.equal(fitToSite({}, on.kernel.services), {})
})

site('is rejected for unregistered settings and roles, and for invalid values', async () => {
  await using on = await serve()
  const wrong: [Parameters<typeof fitToSite>[0], RegExp][] = [
    [{ settings: { titel: 'x' } }, /setting "titel": did you mean title\?/],
    [{ settings: { shop_currency: 'EUR' } }, /no plugin of this site registers the setting "shop_currency"\.$/],
    [{ settings: { posts_per_page: 'many' } }, /"posts_per_page" is invalid \(posts_per_page is not of type integer\)/],
    [{ settings: { timezone: 'Mars/Base' } }, /"timezone" is invalid/],
    [{ settings: { url: 'https://a.test' } }, /"url" is defined by the config/],
    [{ users: [{ login: 'a', role: 'editr' }] }, /role editr of the user a .* did you mean editor\?/],
  ]
  for (const [input, message] of wrong) {
    assert.throws(
      () => fitToSite(input, on.kernel.services),
      (error: Error & { code: string }) => error.code === 'IMPORT_SITE_INVALID' && message.test(error.message),
      String(message),
    )
  }
})

site.run()
