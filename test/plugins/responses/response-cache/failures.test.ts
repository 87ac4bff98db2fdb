import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type RestResponse } from '../../../../kernel/index.ts'
import { until } from '../../../helpers/until.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serve } from '../../../helpers/site.ts'

const failures = suite('the response cache and what fails')

/** What fails; null for nothing. */
let failing: 'block' | 'shortcode' | 'category' | null = null
const unlessItFails = <T>(name: typeof failing, made: T): T => {
  if (failing === name) throw new Error('not now')
  return made
}

const unsteady = definePlugin({
  name: 'unsteady',
  needs: ['blocks', 'shortcodes', 'terms'],
  apply({ hooks, services }) {
    const dependsOn = 'nothing'
    const block = () => unlessItFails('block', '<p>block</p>')
    services.blocks.register('test/unsteady', { dependsOn, render_callback: block })
    services.shortcodes.register('unsteady', () => unlessItFails('shortcode', 'shortcode'), { dependsOn })
    const category = (response: RestResponse) => {
      unlessItFails('category', null)
      Object.assign(response.data as object, { name: 'TOOLS' })
      return response
    }
    hooks.rest_prepare.for('category').tap({ name: 'unsteady', dependsOn }, category)
  },
})

failures('what is left out because it failed is there a minute after it works again', async () => {
  await using site = await serve({ add: [unsteady] })
  const realNow = Date.now
  using clock = new DisposableStack()
  clock.defer(() => void (Date.now = realNow))
  let ahead = 0
  Date.now = () => realNow() + ahead
  const term = await addTerm(site.store, { name: 'Tools', taxonomy: 'category' })
  const { blockMark } = site.kernel.branding
  const content = `<!-- ${blockMark}:test/unsteady /--><!-- ${blockMark}:html --><p>a [unsteady]</p><!-- /${blockMark}:html -->`
  const [post] = await addPosts(site.store, { content, terms: [term] })
  /** What a post shows: content, and a category that is embedded. */
  const shown = async (path: string) => {
    const [item] = [await site.json(path)].flat()
    const embedded = [item._embedded['svc:term'][0]].flat()[0]
    return [item.content.rendered.replaceAll('\n', ''), embedded.name ?? embedded.code]
  }
  const whole = ['<p>block</p><p>a shortcode</p>', 'TOOLS']
  const cases = [
    ['block', ['<p>a shortcode</p>', 'TOOLS']],
    ['shortcode', ['<p>block</p><p>a </p>', 'TOOLS']],
    // An item of a list is shown without what a tap would do to it.
    ['category', [whole[0], 'Tools']],
  ] as const
  for (const path of [`/svc/v2/posts/${post}?_embed`, '/svc/v2/posts?_embed']) {
    for (const [name, partly] of cases) {
      failing = name
      assert.equal(await shown(path), partly, name)
      failing = null
      // It is kept, so that what fails is not tried by each request.
      assert.equal(await shown(path), partly, name)
      assert.is((await site.get(path)).headers.get('x-svc-cache'), 'HIT', name)
      ahead += 73_000
      // Content is made again in the background.
      await until(async () => JSON.stringify(await shown(path)) === JSON.stringify(whole) || void (ahead += 73_000))
      // By now it need not be made.
      failing = name
      assert.equal(await shown(path), whole, name)
      site.kernel.server.reset()
    }
  }
})

failures.run()
