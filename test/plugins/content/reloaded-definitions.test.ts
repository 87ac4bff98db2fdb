import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type PluginContext } from '../../../kernel/index.ts'
import { as, serve, type Site } from '../../helpers/site.ts'

const definitions = suite('content types and taxonomies of plugins that are reloaded')

const plugin = (name: string, apply: (services: PluginContext['services'], hooks: PluginContext['hooks']) => void) =>
  definePlugin({
    name,
    needs: ['content-types', 'taxonomies'],
    apply: ({ services, hooks }) => apply(services, hooks),
  })

const admin = as('administrator')
const type = (site: Site, name: string) => site.json(`/svc/v2/types/${name}?context=edit`, admin)
const taxonomy = (site: Site, name: string) => site.json(`/svc/v2/taxonomies/${name}?context=edit`, admin)

definitions('have the changes of each plugin as they are now, whichever was reloaded', async () => {
  const first = (description: string) =>
    plugin('first', ({ contentTypes, taxonomies }) => {
      contentTypes.change('page', { description })
      taxonomies.change('category', { description })
    })
  const second = plugin('second', ({ contentTypes, taxonomies }) => {
    contentTypes.change('page', { hierarchical: false })
    taxonomies.change('category', { hierarchical: false })
  })
  await using site = await serve({ add: [first('One.'), second] })
  const shown = async () => [await type(site, 'page'), await taxonomy(site, 'category')].map((one) => [one.description, one.hierarchical]) // prettier-ignore
  assert.equal(await shown(), [['One.', false], ['One.', false]]) // prettier-ignore
  await site.kernel.reload('first', first('Two.'))
  assert.equal(await shown(), [['Two.', false], ['Two.', false]]) // prettier-ignore
  await site.kernel.remove('first')
  assert.equal(await shown(), [['', false], ['', false]]) // prettier-ignore
  await site.kernel.remove('second')
  assert.equal(await shown(), [['', true], ['', true]]) // prettier-ignore
})

definitions('pass the filters that are there now, whenever they were registered', async () => {
  const filter = (icon: string, description: string) =>
    plugin('filter', (_, hooks) => {
      hooks.register_post_type_args.tap({ name: 'filter', types: 'event' }, (spec) => ({ ...spec, icon }))
      hooks.register_taxonomy_args.tap({ name: 'filter', types: 'place' }, (spec) => ({ ...spec, description }))
    })
  const events = plugin('events', ({ contentTypes, taxonomies }) => {
    contentTypes.register('event', { public: true, show_in_rest: true })
    taxonomies.register('place', 'event', { show_in_rest: true })
  })
  await using site = await serve({ add: [filter('one', 'One.'), events] })
  const shown = async () => [(await type(site, 'event')).icon, (await taxonomy(site, 'place')).description]
  assert.equal(await shown(), ['one', 'One.'])
  await site.kernel.reload('filter', filter('two', 'Two.'))
  assert.equal(await shown(), ['two', 'Two.'])
  await site.kernel.remove('filter')
  assert.equal(await shown(), [null, ''])
  await site.kernel.add(filter('three', 'Three.'))
  assert.equal(await shown(), ['three', 'Three.'])
})

definitions('are gone with the plugin that registered them, though others have changed them', async () => {
  const events = plugin('events', ({ contentTypes }) => {
    contentTypes.register('event', { public: true, show_in_rest: true })
  })
  const changing = plugin('changing', ({ contentTypes }) => {
    contentTypes.change('event', { description: 'Changed.' })
  })
  await using site = await serve({ add: [events, changing] })
  assert.is((await type(site, 'event')).description, 'Changed.')
  await site.kernel.remove('events')
  assert.is((await type(site, 'event')).code, 'rest_type_invalid')
  assert.is((await site.get('/svc/v2/event')).status, 404)
  await site.kernel.add(events)
  assert.is((await type(site, 'event')).description, '')
})

definitions.run()
