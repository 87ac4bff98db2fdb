import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { as, serve, startOnly } from '../../../helpers/site.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

startOnly('settings')

const settings = suite('settings')

const unexpected = () => assert.unreachable('it went through')

settings('refuses users who cannot manage the site', async () => {
  await using site = await serve()
  const visitor = await site.json('/svc/v2/settings')
  const editor = await site.json('/svc/v2/settings', as('editor'))
  assert.equal([visitor.code, visitor.data.status], ['rest_forbidden', 401])
  assert.equal([editor.code, editor.data.status], ['rest_forbidden', 403])
})

settings('shows the defaults of a new site', async () => {
  await using site = await serve()
  assert.equal(await site.json('/svc/v2/settings', as('administrator')), {
    title: 'A new site',
    description: '',
    url: site.home,
    email: null,
    timezone: 'UTC',
    date_format: 'F j, Y',
    time_format: 'g:i a',
    start_of_week: 1,
    language: 'en_US',
    use_smilies: true,
    default_category: 1,
    default_post_format: '0',
    posts_per_page: 10,
    show_on_front: 'posts',
    page_on_front: 0,
    page_for_posts: 0,
    default_ping_status: 'open',
    default_comment_status: 'open',
    site_logo: null,
    site_icon: 0,
  })
})

settings('shows stored values, converted by the schema', async () => {
  await using site = await serve()
  const { options } = site.kernel.services
  await options.set('title', 'Tea & Rain')
  await options.set('posts_per_page', '7')
  await options.set('default_comment_status', 'sometimes')
  const shown = await site.json('/svc/v2/settings', as('administrator'))
  assert.is(shown.title, 'Tea & Rain')
  assert.is(shown.posts_per_page, 7)
  assert.is(shown.default_comment_status, null)
})

settings('names an option whose name is too long to store', async () => {
  await using site = await serve()
  const { options } = site.kernel.services
  await options.set('n'.repeat(191), 1)
  const refused = await options.set('n'.repeat(192), 1).catch((error: { code: string }) => error)
  assert.is((refused as { code: string }).code, 'OPTION_NAME_TOO_LONG')
})

settings('includes the settings of a plugin under their REST names', async () => {
  const shop = definePlugin({
    name: 'shop',
    needs: ['settings'],
    apply({ services }) {
      services.settings.register('shop_currency', {
        type: 'string',
        default: 'EUR',
        show_in_rest: { name: 'currency', schema: { enum: ['EUR', 'USD'] } },
      })
      services.settings.register('shop_key', { type: 'string', default: 'secret' })
    },
  })
  await using site = await serve({ add: [shop] })
  const shown = await site.json('/svc/v2/settings', as('administrator'))
  assert.is(shown.currency, 'EUR')
  assert.not.ok('shop_key' in shown)
  assert.is(await site.kernel.services.options.get('shop_key'), 'secret')
  await removePlugin(site.kernel, 'shop')
  assert.not.ok('currency' in (await site.json('/svc/v2/settings', as('administrator'))))
})

settings('lets a tap of rest_pre_get_setting return a value', async () => {
  const loud = definePlugin({
    name: 'loud',
    needs: ['settings'],
    apply({ hooks }) {
      hooks.rest_pre_get_setting.tap('loud', (value, name) => (name === 'title' ? 'LOUD' : value))
    },
  })
  await using site = await serve({ add: [loud] })
  assert.is((await site.json('/svc/v2/settings', as('administrator'))).title, 'LOUD')
})

settings('describes settings with their defaults, or null without a default', async () => {
  await using site = await serve()
  const answer = await site.request('/svc/v2/settings', { method: 'OPTIONS', headers: as('administrator') })
  const { schema } = (await answer.json()) as {
    schema: { title: string; properties: Record<string, { default: unknown }> }
  }
  assert.is(schema.title, 'settings')
  assert.is(schema.properties['posts_per_page']!.default, 10)
  assert.is(schema.properties['title']!.default, null)
})

settings.run()

const options = suite('options')
stopClockFor(options)

options('returns the stored value, the default, or the fallback', async () => {
  await using site = await serve()
  const siteOptions = site.kernel.services.options
  await siteOptions.set('colors', { front: ['red', 1, null] })
  assert.equal(await siteOptions.get('colors'), { front: ['red', 1, null] })
  assert.is(await siteOptions.get('posts_per_page', 3), 10)
  assert.is(await siteOptions.get('nope', 3), 3)
  assert.is(await siteOptions.get('nope'), undefined)
  assert.equal(await siteOptions.many(['timezone', 'nope']), { timezone: 'UTC', nope: undefined })
  await siteOptions.delete('colors')
  assert.is(await siteOptions.get('colors', 'none'), 'none')
})

options('reads the table once for parallel reads', async () => {
  await using site = await serve()
  const siteOptions = site.kernel.services.options
  await siteOptions.set('title', 'One')
  const statements: string[] = []
  site.store.onStatement(({ sql }) => void statements.push(sql))
  const answers = await Promise.all([
    siteOptions.get('title'),
    siteOptions.get('timezone'),
    siteOptions.many(['title', 'theme']),
  ])
  await siteOptions.get('title')
  assert.is(answers[0], 'One')
  assert.is(statements.length, 1)
})

options('returns a new value immediately', async () => {
  await using site = await serve()
  const siteOptions = site.kernel.services.options
  await siteOptions.get('title')
  await siteOptions.set('title', 'Two')
  assert.is(await siteOptions.get('title'), 'Two')
})

options('detects changes that another process makes in the database', async () => {
  await using site = await serve()
  const siteOptions = site.kernel.services.options
  await siteOptions.set('title', 'Old')
  await siteOptions.get('title')
  await site.store.run(site.store.db.updateTable('options').set({ value: '"New"' }).where('name', '=', 'title'))
  assert.is(await siteOptions.get('title'), 'New')
})

options('ignores an invalid stored value', async () => {
  await using site = await serve()
  const siteOptions = site.kernel.services.options
  await site.store.run(site.store.db.insertInto('options').values({ name: 'broken', value: '{' }))
  await siteOptions.delete('nope')
  assert.is(await siteOptions.get('timezone'), 'UTC')
  await siteOptions.get('broken').then(unexpected, (error: Error) => assert.instance(error, SyntaxError))
})

options('refuses values without a JSON representation, and options derived from the config', async () => {
  await using site = await serve()
  const siteOptions = site.kernel.services.options
  await siteOptions.set('title', undefined).then(unexpected, (error: Error) => assert.match(error.message, /JSON/))
  await siteOptions
    .set('url', 'https://x.test')
    .then(unexpected, (error: Error) => assert.match(error.message, /config/))
  assert.is(await siteOptions.get('url'), site.home)
})

options.run()
