import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../../plugins/public.ts'
import { browse } from '../../../../helpers/browser.ts'
import { until } from '../../../../helpers/until.ts'
import { databases, serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { startOnly } from '../../../../helpers/site.ts'

startOnly('admin')

const garden = definePlugin<{ key: string; beds: number }>({
  name: 'garden',
  description: 'Grows <plants>.',
  needs: ['jobs'],
  options: {
    key: { default: '', type: 'string', secret: true },
    beds: { default: 3, type: 'integer' },
  },
  apply({ hooks, services }) {
    services.jobs.handle('garden/water', { run: () => {} })
    hooks.rest_api_init.tap('garden', (server) => {
      server.registerRoute('garden/v1', 'beds', { callback: () => [], permission_callback: () => true })
    })
  },
})

const nonceOf = (text: string) => /name="_svcnonce" value="(\w+)"/.exec(text)![1]!

for (const { name, place } of databases) {
  const pages = suite(`the plugins and jobs of the admin on ${name}`)

  pages('show administrators the description, registrations and options of each plugin, without secrets', async () => {
    const plugins = { cors: { origins: ['https://shop.example'] }, garden: { key: 'very secret key' } }
    await using site = await serveWithUsers(place, { plugins, add: [garden] })
    const [admin, editor] = [browse(site), browse(site)]
    await admin.logIn('admin', 'pass phrase of admin')
    await editor.logIn('ed', 'pass phrase of ed')
    assert.is((await editor.open('/svc-admin/plugins')).status, 403)
    assert.is((await editor.open('/svc-admin/plugins/cors')).status, 403)
    const list = await (await admin.open('/svc-admin/plugins?search=plants')).text()
    assert.match(list, 'Grows &#60;plants&#62;.')
    assert.not.match(list, 'plugins/cors"')
    const own = await (await admin.open('/svc-admin/plugins/garden')).text()
    assert.match(own, 'garden/v1/beds')
    assert.match(own, 'garden/water')
    assert.match(own, '[hidden]')
    assert.not.match(own, 'very secret key')
    const cors = await (await admin.open('/svc-admin/plugins/cors')).text()
    assert.match(cors, 'https://shop.example')
    assert.match(cors, 'the config')
    assert.match(cors, 'Origins that can')
    assert.is((await admin.open('/svc-admin/plugins/toString')).status, 404)
  })

  pages('run a job again and cancel it', async () => {
    await using site = await serveWithUsers(place, { add: [garden] })
    const { jobs } = site.kernel.services
    const id = await jobs.add('garden/water', null, { in: 3600 })
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    const text = await (await admin.open('/svc-admin/jobs?state=waiting')).text()
    assert.match(text, 'garden/water')
    const send = (action: string, of: number | string) =>
      admin.send('/svc-admin/jobs', { do: action, id: String(of), _svcnonce: nonceOf(text) })
    assert.is((await send('cancel', 'x')).status, 404)
    assert.is((await send('retry', id)).status, 303)
    await until(async () => (await jobs.list({ name: 'garden/water' })).length === 0)
    const other = await jobs.add('garden/water', null, { in: 3600 })
    assert.is((await send('cancel', other)).status, 303)
    assert.equal(await jobs.list({ name: 'garden/water' }), [])
    assert.is((await send('cancel', other)).status, 404)
    const editor = browse(site)
    await editor.logIn('ed', 'pass phrase of ed')
    assert.is((await editor.open('/svc-admin/jobs')).status, 403)
  })

  pages.run()
}
