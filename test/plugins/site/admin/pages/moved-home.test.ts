import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { health } from '../../../../../plugins/site/admin/pages/dashboard/system.ts'
import type { AdminView } from '../../../../../plugins/site/admin/frame/view.ts'
import { Words } from '../../../../../plugins/foundation/translations/words.ts'
import { serve, type Site } from '../../../../helpers/site.ts'

const panel = suite('site health on the dashboard')

panel('names the command when content was written under another home', async () => {
  await using site = await serve({ home: 'https://new.example', log: 'silent' })
  assert.match(await healthOf(site), 'All checks passed')
  await site.kernel.services.options.set('content_home', { home: 'http://old.example', warned: '' })
  assert.match(await healthOf(site), 'run svc urls replace http://old.example https://new.example')
})

panel.run()

/** Renders the panel for a user who may see the tests of site health, which all pass. */
async function healthOf({ kernel }: Site): Promise<string> {
  const plugin = { branding: kernel.branding, services: kernel.services, has: () => true }
  const words = new Words('en', {}, 'UTC')
  const t: Words['t'] = (...text) => words.t(...text)
  const view = {
    plugin,
    t,
    can: () => true,
    url: (path: string) => path,
    find: async () => ({ label: 'fine', status: 'good' }),
  }
  return (await health(view as unknown as AdminView))?.text ?? ''
}
