import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve, type Site } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace } from '../../../helpers/stores.ts'

const optionalPlugins = suite('optional plugins')

const runs = (site: Site, name: string) => site.kernel.plugins.some(({ slot }) => slot === name)
const NAME = 'featured-image-fields'

const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

for (const { name, make } of kinds) {
  optionalPlugins(`start after they were switched on, on ${name}`, async () => {
    await using place = await make()
    {
      await using site = await serve({ database: place.url })
      assert.not(runs(site, NAME))
      assert.equal(await site.kernel.services.optionalPlugins.switchOn([NAME]), [NAME])
      assert.equal(await site.kernel.services.optionalPlugins.switchOn([NAME]), [])
    }
    {
      await using site = await serve({ database: place.url })
      assert.ok(runs(site, NAME))
      const { content } = await site.kernel.services.optionalPlugins
        .list()
        .then((all) => ({ content: all.find((one) => one.name === NAME) }))
      assert.equal([content?.isOn, content?.isRunning], [true, true])
      assert.equal(await site.kernel.services.optionalPlugins.switchOff([NAME]), [NAME])
    }
    await using site = await serve({ database: place.url })
    assert.not(runs(site, NAME))
  })
}

optionalPlugins('start if the config names them, and do not start if it switches them off', async () => {
  await using on = await serve({ plugins: { [NAME]: true } })
  assert.ok(runs(on, NAME))
  await using off = await serve({ plugins: { [NAME]: false } })
  assert.not(runs(off, NAME))
  const error = await off.kernel.services.optionalPlugins.switchOn([NAME]).catch((reason: unknown) => reason)
  assert.match(String(error), `"${NAME}" is not an optional plugin`)
})

optionalPlugins('are left out if the config switches off a plugin that they need', async () => {
  await using site = await serve({ plugins: { menus: false } })
  const names = (await site.kernel.services.optionalPlugins.list()).map(({ name }) => name)
  assert.ok(names.includes(NAME))
  assert.not(names.includes('menu-routes'))
})

optionalPlugins('ask for new workers once after a change', async () => {
  await using site = await serve({ plugins: { 'optional-plugins': { interval: 0.05 } } })
  const asked = Promise.withResolvers<string>()
  site.kernel.onRestartRequest = asked.resolve
  await site.kernel.services.optionalPlugins.switchOn([NAME])
  assert.is(await asked.promise, `the plugin ${NAME} was switched on`)
})

optionalPlugins.run()
